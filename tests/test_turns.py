"""Turns in drawing: in the order of coming, few at once, and nobody waits for ever."""

import threading

import pytest
from gai_app.turns import Turns


def _queued(turns: Turns, count: int) -> None:
    """Until so many wait."""
    pause = threading.Event()
    while turns.waiting < count:
        pause.wait(0.001)


def test_who_comes_first_is_first() -> None:
    turns, drawn = Turns(places=1, longest_wait=300), []
    threads = []

    def draw(name: int) -> None:
        with turns.turn():
            drawn.append(name)

    with turns.turn():
        for name in range(5):
            threads.append(threading.Thread(target=draw, args=(name,)))
            threads[-1].start()
            _queued(turns, name + 1)
        assert not drawn
    for thread in threads:
        thread.join()
    assert drawn == [0, 1, 2, 3, 4]


def test_who_works_already_is_before_those_who_come() -> None:
    turns, drawn = Turns(places=1, longest_wait=300), []
    threads = []

    def draw(name: int, newcomer: bool) -> None:
        with turns.turn(newcomer=newcomer):
            drawn.append(name)

    with turns.turn():
        for name in range(6):
            threads.append(threading.Thread(target=draw, args=(name, name < 4)))
            threads[-1].start()
            _queued(turns, name + 1)
    for thread in threads:
        thread.join()
    assert drawn == [4, 5, 0, 1, 2, 3]


def test_so_many_at_once_and_no_more() -> None:
    turns, entered = Turns(places=2, longest_wait=300), threading.Event()

    def third() -> None:
        with turns.turn():
            entered.set()

    thread = threading.Thread(target=third)
    with turns.turn():
        with turns.turn():
            thread.start()
            _queued(turns, 1)
            assert not entered.is_set()
        thread.join()  # one of two places is free
        assert entered.is_set()


def test_a_page_that_takes_long_does_not_stop_the_others() -> None:
    turns = Turns(places=1, longest_wait=0)
    with turns.turn(), turns.turn():
        assert turns.waiting == 0
    with turns.turn():  # everybody has left: there is a place again
        assert turns.waiting == 0


def test_a_place_is_given_back_after_an_error() -> None:
    turns = Turns(places=1, longest_wait=300)
    with pytest.raises(ValueError, match="drawn badly"), turns.turn():
        raise ValueError("drawn badly")
    with turns.turn():
        assert turns.waiting == 0


def test_who_waits_for_something_else_lets_others_draw() -> None:
    turns, drawn = Turns(places=1, longest_wait=300), threading.Event()

    def draw() -> None:
        with turns.turn():
            drawn.set()

    thread = threading.Thread(target=draw)
    with turns.turn():
        thread.start()
        _queued(turns, 1)
        with turns.let_others():
            thread.join()
        assert drawn.is_set()
    with turns.let_others():  # without a turn there is nothing to give away
        assert turns.waiting == 0
    with turns.turn():
        assert turns.waiting == 0


def test_a_newcomer_who_let_others_draw_is_still_behind_those_who_work() -> None:
    turns, order = Turns(places=1, longest_wait=300), list[str]()
    waits, goes_on = threading.Event(), threading.Event()

    def newcomer() -> None:
        with turns.turn(newcomer=True):
            with turns.let_others():
                waits.set()
                assert goes_on.wait(300)
            order.append("newcomer")

    def working() -> None:
        with turns.turn():
            order.append("working")

    threads = [threading.Thread(target=newcomer), threading.Thread(target=working)]
    threads[0].start()
    assert waits.wait(300)
    with turns.turn():
        goes_on.set()
        _queued(turns, 1)  # the newcomer came back first
        threads[1].start()
        _queued(turns, 2)
    for thread in threads:
        thread.join()
    assert order == ["working", "newcomer"]
