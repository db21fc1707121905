from pathlib import Path

import pytest

from indexing.loading.hidden_html import style_hides
from indexing.loading.html import html_to_markdown, parse_html
from tests.indexing.loading.source_files import load_one, refusal

PROSE = "The reactor was shut down for inspection, and the engineers replaced two of its pumps within a week. "


def text_of(body: str) -> str:
    return parse_html(f"<html><body>{body}</body></html>".encode()).text


def test_a_document_becomes_markdown(tmp_path: Path) -> None:
    html = (
        "<html><head><title>Report</title></head><body><h1>Report</h1><p>See <a href='x'>the <b>list</b></a>.</p>"
        "<h2>Part</h2><ul><li>one</li><li>two</li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td>3</td></tr>"
        "</table></body></html>"
    )
    document = load_one(tmp_path, "a.html", html)
    assert document.media_type == "text/html"
    assert document.title == "Report"
    assert document.text == (
        "# Report\n\nSee the list.\n\n## Part\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1\\|2 | 3 |"
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display: none'>SECRET</p>",
        "<p style='DISPLAY:NONE !important'>SECRET</p>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<p style='opacity:0'>SECRET</p>",
        "<p style='font-size:0px'>SECRET</p>",
        "<p style='font: 1px/1 serif'>SECRET</p>",
        "<p style='color:white'>SECRET</p>",
        "<p style='color: rgb(255, 255, 255)'>SECRET</p>",
        "<p style='color:#fefefe;background:#fff'>SECRET</p>",
        "<p style='color:transparent'>SECRET</p>",
        "<div style='background:#123456'><p style='color:#123456'>SECRET</p></div>",
        "<font color='white'>SECRET</font>",
        "<p style='position:absolute;left:-9999px'>SECRET</p>",
        "<p style='text-indent:-9999px'>SECRET</p>",
        "<p style='display:/* a */none'>SECRET</p>",
        "<p hidden>SECRET</p>",
        "<p aria-hidden='true'>SECRET</p>",
        "<div style='display:none'><div><p>SECRET</p></div></div>",
        "<!-- SECRET -->",
        "<img src='x' alt='SECRET'>",
        "<script>SECRET</script><style>SECRET</style><template>SECRET</template><noscript>SECRET</noscript>",
        "<textarea>SECRET</textarea><select><option>SECRET</option></select>",
        "<style>.gone { display: none }</style><p class='a gone'>SECRET</p>",
        "<style>p#x, b { visibility:hidden }</style><p id='x'>SECRET</p>",
        "<p title='SECRET' data-x='SECRET'>x</p>",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "<nav>menu</nav><article>{}</article>"])
def test_hidden_text_goes_and_the_text_around_it_stays(hidden: str, frame: str) -> None:
    text = text_of(frame.format(f"<p>{PROSE}before</p>{hidden}tail<p>{PROSE}after</p>"))
    assert "SECRET" not in text
    assert "before" in text
    assert "tail" in text
    assert "after" in text


@pytest.mark.parametrize(
    "style",
    [
        "color:#333",
        "color:white;background:#003366",
        "background-color:white",
        "font-size:10px",
        "font-size:0.9em",
        "font: 12px/1.5 serif",
        "opacity:0.5",
        "display:block",
        "border-color:white",
        "margin-left:-10px",
        "",
    ],
)
def test_usual_styles_hide_nothing(style: str) -> None:
    assert not style_hides(style)


def test_white_text_on_a_dark_ground_is_seen() -> None:
    assert "seen" in text_of("<div style='background:#036'><p style='color:#fff'>seen</p></div>")


def test_rules_within_media_queries_and_on_the_whole_page_do_not_hide() -> None:
    css = "<style>@media print { .a { display: none } } body { display: none } .js .b { display: none }</style>"
    text = text_of(f"{css}<p class='a'>one</p><p class='b'>two</p>")
    assert "one" in text
    assert "two" in text


def test_navigation_and_footers_of_a_page_go() -> None:
    links = "".join(f"<li><a href='{number}'>Section {number}</a></li>" for number in range(30))
    paragraphs = f"<p>{PROSE * 3}</p>" * 4
    text = text_of(
        f"<nav><ul>{links}</ul></nav><main><h1>Pumps</h1>{paragraphs}</main><footer>All rights reserved</footer>"
    )
    assert "replaced two of its pumps" in text
    assert "Section 7" not in text
    assert "All rights reserved" not in text


def test_a_main_heading_that_extraction_drops_is_put_back() -> None:
    frame = "<title>Pumps | Plant</title><nav>menu</nav><header><h1>Pumps</h1></header>"
    html = f"{frame}<article><p>{PROSE * 5}</p></article>"
    parsed = parse_html(html.encode())
    assert parsed.title == "Pumps"
    assert parsed.text.count("# Pumps") == 1


def test_a_page_from_which_nothing_is_extracted_is_kept_without_its_navigation() -> None:
    rows = "".join(f"<div><span>Valve {number}</span></div>" for number in range(40))
    text = text_of(f"<nav><a href='x'>menu</a></nav><form>{'search ' * 50}</form>{rows}")
    assert "Valve 39" in text
    assert "menu" not in text


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Pumps | The Plant</title>", "<h1>Pumps</h1>", "Pumps"),
        ("<title>Pumps and valves - The Plant</title>", "", "Pumps and valves"),
        (
            "<title>Firefox \u2013 less of everything, much faster</title>",
            "",
            "Firefox \u2013 less of everything, much faster",
        ),
        ("<title>Pumps - The Plant</title>", "<h1>The Plant</h1>", "Pumps - The Plant"),
        ("<title>x</title><meta property='og:title' content='Say yes'>", "<h1>Pumps</h1>", "Pumps"),
        ("<title>Pumps at work</title><meta property='og:title' content='Pumps'>", "", "Pumps"),
        ("", "<h1>A</h1><h1>B</h1>", ""),
        ("", "<p>x</p>", ""),
    ],
)
def test_the_title_is_one_that_a_reader_sees(head: str, body: str, title: str) -> None:
    assert parse_html(f"<html><head>{head}</head><body>{body}<p>text</p></body></html>".encode()).title == title


def test_the_declared_encoding_is_read(tmp_path: Path) -> None:
    html = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>żółw</p>'
    assert load_one(tmp_path, "a.htm", html.encode("iso8859-2")).text == "żółw"


@pytest.mark.parametrize(
    "html", ["", "<html></html>", "<!-- x -->", "<script>x</script>", "<p style='display:none'>x</p>"]
)
def test_a_page_without_visible_text_is_refused(tmp_path: Path, html: str) -> None:
    assert refusal(tmp_path, "a.html", html) == "It holds no text."


def test_external_entities_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("SECRET")
    html = f'<!DOCTYPE html [<!ENTITY x SYSTEM "{(tmp_path / "secret.txt").as_uri()}">]><p>text &x;</p>'
    assert "SECRET" not in load_one(tmp_path, "a.html", html).text


def test_elements_nested_without_end_do_not_break_loading() -> None:
    assert "deep" in text_of("<div>" * 200 + "deep" + "</div>" * 200)
    parse_html(b"<div>" * 20_000 + b"deep")


@pytest.mark.parametrize("css", [".a{" * 20_000, "a," * 50_000, "@" * 50_000, "/*" * 50_000, "@media x {" * 20_000])
def test_hostile_style_sheets_take_no_long_time(css: str) -> None:
    assert "text" in text_of(f"<style>{css}</style><p>text</p>")


def test_nothing_becomes_nothing() -> None:
    assert html_to_markdown("") == ""


@pytest.mark.parametrize("control", ["&#1;", "\x01", "&#xfffe;", "&#0;"])
def test_a_control_character_in_the_text_does_not_break_extraction(control: str) -> None:
    text = text_of(f"<nav>menu</nav><article><p>{control}{PROSE * 4}</p>{control}<p>{PROSE}{control}</p></article>")
    assert "replaced two of its pumps" in text
    assert "menu" not in text


def test_a_control_character_in_a_table_cell_does_not_break_loading() -> None:
    assert "a\\|b" in text_of("<table><tr><td>&#1;a|b</td></tr><tr><td>c</td></tr></table>")


@pytest.mark.parametrize("frame", ["{}", "<nav>menu</nav><article>{}</article>"])
@pytest.mark.parametrize(
    ("inline", "read"),
    [
        ("The <b>Heron</b> pump", "The Heron pump"),
        ("The <strong><em>Her</em></strong>on <i>3</i>", "The Heron 3"),
        ("Run <code>heron --now</code>, <kbd>Enter</kbd>, <var>n</var>", "Run heron --now, Enter, n"),
        ("About H<sub>2</sub>O and <u>10<sup>6</sup></u> litres", "About H2O and 10\u2076 litres"),
    ],
)
def test_emphasis_within_a_line_leaves_its_words_alone(frame: str, inline: str, read: str) -> None:
    text = text_of(frame.format(f"<p>{PROSE * 3}</p><p>{inline}. {PROSE}</p><p>{PROSE * 3}</p>"))
    assert f"{read}. {PROSE.strip()}" in text


def test_a_block_of_code_stays_one() -> None:
    assert text_of("<p>Run:</p><pre><code>a = <b>1</b>\n*b = 2\n</code></pre>") == "Run:\n\n```\na = 1\n*b = 2\n```"


def test_what_is_struck_out_is_marked() -> None:
    assert text_of("<p>It costs <s>50</s> 40 euros.</p>") == "It costs ~~50~~ 40 euros."
