from tests.domains.conftest import Desk
from tests.domains.test_property_tools import desk as desk


def test_the_world_has_the_size_of_a_small_company(desk: Desk) -> None:
    names = [
        row["relname"]
        for row in desk.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: desk.value(f"SELECT count(*) FROM {name}") for name in names}
    assert [name for name, count in counts.items() if count == 0] == ["identity_checks"]
    assert 300 <= sum(counts.values()) <= 1500
