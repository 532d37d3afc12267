"""An error of a pass that was given up for a newer one is none; any other is said."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st
    from gai_app.given_up import void_if_given_up
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    with void_if_given_up():
        context = get_script_run_ctx()
        assert context is not None
        assert context.script_requests is not None
        st.markdown("begun")
        if st.session_state["given-up"]:
            context.script_requests.request_stop()  # as Streamlit does when a newer pass begins
        raise KeyError("what the next pass has put away")


def page_in_part() -> None:
    import streamlit as st
    from gai_app.given_up import void_if_given_up
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    @st.fragment
    @void_if_given_up()
    def part(number: int) -> None:
        context = get_script_run_ctx()
        assert context is not None
        assert context.script_requests is not None
        st.markdown("begun")
        if st.session_state["given-up"]:
            context.script_requests.request_stop()
        raise KeyError(number)

    part(7)


def test_what_a_pass_meets_counts_only_while_the_pass_does() -> None:
    for script in (page, page_in_part):
        app = AppTest.from_function(script)
        app.session_state["given-up"] = True
        app.run()
        assert [one.value for one in app.markdown] == ["begun"]
        assert not app.exception
        app.session_state["given-up"] = False
        app.run()
        assert len(app.exception) == 1
        assert "KeyError" in str(app.exception[0])
