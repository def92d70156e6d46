"""Remove the containers that carry a label; run by the keeper as a program of its own."""

import sys

import docker


def main(label: str) -> None:
    """Remove every container with the label, running or not."""
    client = docker.from_env()
    for container in client.containers.list(all=True, filters={"label": label}):
        container.remove(force=True, v=True)


if __name__ == "__main__":
    main(sys.argv[1])
