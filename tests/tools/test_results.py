import datetime as dt
from decimal import Decimal
from uuid import UUID

import pytest

from tb_envs.tools.results import write_result


def test_a_result_is_compact_json_with_plain_values() -> None:
    row = {
        "id": UUID("12345678-1234-5678-1234-567812345678"),
        "name": "Źdźbło",
        "price": Decimal("19.90"),
        "count": Decimal("3"),
        "day": dt.date(2025, 3, 1),
        "at": dt.datetime(2025, 3, 1, 9, 30, tzinfo=dt.UTC),
        "code": "007",
        "none": None,
    }
    assert write_result([row]) == (
        '[{"id":"12345678-1234-5678-1234-567812345678","name":"Źdźbło","price":19.9,"count":3,'
        '"day":"2025-03-01","at":"2025-03-01T09:30:00+00:00","code":"007","none":null}]'
    )


def test_a_text_stays_as_it_is() -> None:
    assert write_result('Lent "Dune".') == 'Lent "Dune".'


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", [dt.timedelta(1)]])
def test_a_value_that_json_cannot_hold_is_an_error(value: object) -> None:
    with pytest.raises(TypeError, match="a tool's result holds a"):
        write_result(value)
