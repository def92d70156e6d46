"""Other people's libraries: one thin module each, which imports its library only when used.

None of them has a rollout loop, a parser or a grader of its own. Where a library brings the model
(inspect_ai, verifiers), our rollout loop plays and the library's model is the policy; where it
brings the loop (TRL, OpenEnv, SkyRL-gym, classic RL), it steps our environment.
``docs/adapters.md`` says what to type.
"""
