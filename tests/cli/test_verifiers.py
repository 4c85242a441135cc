"""`--verifier` and `factscope verifiers`, from the command line to the report, with tiny models."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from factscope.cli import app
from factscope.engine import Settings, find_method
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.published import form_in, published
from factscope.judging.verifiers.registry import judged_by
from factscope.llm.prompts import load_plain
from factscope.methods import VerifierJudge
from factscope.web import CheckParameters, method_of
from tests import lab
from tests.judging.verifiers.test_verifier_registry import Hub, hub  # noqa: F401 - a fixture
from tests.lab import warm

pytestmark = pytest.mark.usefixtures("forked_workers")

ROOT = Path(__file__).parent.parent.parent
TINY = ROOT / "tests" / "judging" / "verifiers" / "published" / "tiny"
ALL = sorted(folder.name for folder in TINY.iterdir())
TEXT = "The Marlow bridge was opened in 1931. It has six arches. The town hall was finished in 1908."
Run = Callable[..., Result]


@pytest.fixture
def server() -> Iterator[lab.Server]:
    """Start a model server. Must come before `run`, which changes the folder."""
    with lab.model_server() as made:
        yield made


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FACTSCOPE_VERIFIER", raising=False)
    for name in ("CACHE", "STORE"):
        monkeypatch.setenv(f"FACTSCOPE_{name}", str(tmp_path / name.lower()))
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "bridge.txt").write_text(
        "The Marlow bridge was opened in 1931 and carries two lanes. It has nine arches of granite.\n\n"
        "The town hall was finished in 1912, after a fire. Maria Lind wrote about it.\n"
    )
    return lambda *arguments: CliRunner().invoke(app, [str(each) for each in arguments])


def check(run: Run, *arguments: str | Path) -> dict:
    done = run("check", TEXT, "-e", "evidence", "-q", "--format", "json", *arguments)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ALL)
def test_every_family_judges_a_text(run: Run, name: str) -> None:
    report = check(run, "--verifier", TINY / name)
    judgements = report["judgements"]
    assert judgements
    (judge,) = {one["judge"] for one in judgements}
    assert re.fullmatch(rf"{name}@[0-9a-f]{{12}}\+[0-9a-f]{{6}}", judge)
    assert all(judge in score["signature"] for score in report["scores"] if score["signature"])
    labels = {one["label"] for one in judgements}
    binary = name != "deberta"
    assert labels <= {"supported", "not_enough_evidence", "not_supported" if binary else "contradicted"}
    passages = {one["id"]: one["text"] for one in report["passages"]}
    for one in judgements:
        if one["quote"]:
            span = one["quote"]["span"]
            assert passages[one["passage_ids"][0]][span["start"] : span["end"]] == one["quote"]["text"]
        assert (one["confidence"] is None) == bool(one["flags"])
    assert not report["failures"]
    assert report["usage"][0]["calls"] == len(judgements)


@pytest.mark.medium
def test_the_verifier_may_be_set_by_flag_environment_or_project_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    by_flag = check(run, "--verifier", TINY / "deberta", "--no-store")
    monkeypatch.setenv("FACTSCOPE_VERIFIER", str(TINY / "deberta"))
    assert check(run, "--no-store") == by_flag
    monkeypatch.delenv("FACTSCOPE_VERIFIER")
    Path("factscope.toml").write_text(f'verifier = "{TINY / "deberta"}"\n')
    assert check(run, "--no-store") == by_flag
    assert by_flag["method"]["judge"] == {"name": str(TINY / "deberta"), "spans": True, "together": 0}
    shown = run("config", "show")
    assert "verifier" in shown.output
    well = run("doctor", "--format", "json")
    finding = next(one for one in json.loads(well.stdout) if one["name"] == "verifier")
    assert finding["works"]
    assert "deberta@" in finding["detail"]


def test_a_method_file_may_name_a_verifier_on_a_panel(run: Run) -> None:
    Path("two.toml").write_text(
        'name = "two"\ntitle = "Two"\n[[judge.judges]]\nname = "builtin"\n'
        f'[[judge.judges]]\nname = "{TINY / "deberta"}"\n'
    )
    report = check(run, "--method", "two.toml")
    judges = {one["judge"].partition("@")[0].rstrip("0123456789") for one in report["judgements"]}
    assert judges == {"builtin-", "deberta"}
    refused = run("check", TEXT, "-e", "evidence", "--method", "two.toml", "--verifier", TINY / "bert")
    assert refused.exit_code == 2
    assert "has a panel of judges" in refused.output


@pytest.mark.parametrize(
    ("verifier", "says"),
    [
        ("minichek-roberta-large", "Did you mean minicheck-roberta-large"),
        ("hhem-2.1-open", "factscope verifiers pull hhem-2.1-open"),
        ("org/name", "is not downloaded yet"),
        ("bespoke-minicheck-7b", "--model ollama/bespoke-minicheck"),
        ("evidence", "What the outputs of the model in evidence mean is not known"),
        ("nosuch.toml", "can't be read"),
        ("mute", "has no tokenizer.json"),
        ("strange", "pip install 'factscope[torch]'"),
    ],
)
def test_an_unusable_verifier_is_refused_with_advice(run: Run, verifier: str, says: str) -> None:
    for name in ("mute", "strange"):
        shutil.copytree(TINY / "deberta", name)
    Path("mute/tokenizer.json").unlink()
    Path("strange/model.onnx").rename("strange/model.safetensors")
    done = run("check", TEXT, "-e", "evidence", "--verifier", verifier)
    assert done.exit_code == 2
    assert says in " ".join(done.output.split())
    assert "Traceback" not in done.output
    assert "claims done" not in done.output or find_spec("torch")  # reported before anything is spent


def test_an_estimate_refuses_unknown_verifier_names(run: Run) -> None:
    done = run("check", TEXT, "-e", "evidence", "--verifier", "nosuch", "--dry-run")
    assert (done.exit_code, "Unknown verifier 'nosuch': no verifier or folder" in done.output) == (2, True)


def test_a_dry_run_does_not_estimate_time_without_model_calls(run: Run) -> None:
    words = ["check", TEXT, "-e", "evidence", "--method", "builtin", "--dry-run"]
    done = run(*words)
    assert done.exit_code == 0, done.output
    assert "not estimated (no call to a model; verifiers and searches are not timed)" in " ".join(done.stdout.split())
    values = json.loads(run(*words, "--format", "json").stdout)
    assert (values["calls"], values["seconds"]) == ([0, 0], None)


def test_a_served_checker_gets_the_prompt_it_was_trained_on(
    server: lab.Server, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = [
        {"when": {"contains": "Claim: It has six arches."}, "do": {"text": "No"}},
        {"when": {"contains": "Claim: "}, "do": {"text": "Yes"}},
    ]
    server.script(rules)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
    report = check(run, "--verifier", "bespoke-minicheck-7b", "--model", "openai/bespoke")
    asked = [json.loads(call["body"]) if isinstance(call["body"], str) else call["body"] for call in server.log()]
    prompt = load_plain("minicheck/bespoke.toml")
    texts = {one["text"] for one in report["passages"]}
    for call in asked:
        system, user = call["messages"]
        assert system["content"] == prompt.system
        assert any(user["content"].startswith(f"Document: {text}\nClaim: ") for text in texts)
    assert {one["label"] for one in report["judgements"]} == {"supported", "not_supported"}
    assert {one["judge"] for one in report["judgements"]} == {"openai/bespoke"}
    assert prompt.hash in json.dumps(report)
    outcomes = [one["outcome"] for one in report["verdicts"] if one["level"] == "claim"]
    assert outcomes == ["supported", "undecided", "supported"]


def test_a_server_judges_with_the_verifier_it_was_started_with() -> None:
    settings = Settings(verifier=str(TINY / "deberta"))
    chosen = method_of(CheckParameters(method="builtin"), settings)
    assert chosen.judge == VerifierJudge(name=str(TINY / "deberta"), spans=True)
    assert method_of(CheckParameters(method="standard"), settings) == method_of(
        CheckParameters(method="standard"), Settings()
    )


def test_a_method_expecting_one_judgement_takes_the_strongest_with_a_verifier() -> None:
    method = find_method("verify")
    assert method.roll_up.unit == "only"
    changed = judged_by(method, "hhem-2.1-open", has_model=True)
    assert (changed.roll_up.unit, changed.extract) == ("strongest", method.extract)
    assert changed.name == "verify/hhem-2-1-open"
    assert judged_by(find_method("builtin"), f"{TINY}/", has_model=False).name == "builtin/tiny"


def test_the_small_verifier_can_be_named_on_its_own(run: Run) -> None:
    assert (
        json.loads(run("verifiers", "show", "builtin-small", "--format", "json").stdout)["judge"] == load_small().name
    )


def test_verifiers_are_listed_and_described(run: Run) -> None:
    listed = json.loads(run("verifiers", "list", "--format", "json").stdout)
    assert [one["name"] for one in listed][:3] == ["builtin", "builtin-features", "builtin-small"]
    assert all(one["licence"] for one in listed[1:])
    assert "hhem-2.1-open  not fetched; 441 MB, Apache-2.0, needs PyTorch" in run("verifiers", "list").output
    shown = json.loads(run("verifiers", "show", "nli-deberta-v3-base", "--format", "json").stdout)
    assert shown["form"]["labels"] == ["contradicted", "supported", "not_enough_evidence"]
    assert not shown["needs_torch"]
    own = run("verifiers", "show", TINY / "bert")
    assert "\n  kind: score\n" in own.output
    assert re.search(r"^judge: bert@[0-9a-f]{12}\+[0-9a-f]{6}$", own.output, re.MULTILINE)
    ours = run("verifiers", "show", "builtin").output
    assert "judge: builtin-" in ours
    assert Path(re.findall(r"^card: (.*)$", ours, re.MULTILINE)[0]).is_file()
    assert run("verifiers", "show", "nosuch").exit_code == 2
    unknown = run("verifiers", "show", "org/checker")
    assert (unknown.exit_code, "factscope verifiers pull org/checker" in unknown.output) == (2, True)


def test_pull_shows_licence_and_size_and_fetches_nothing_without_confirmation(
    run: Run, hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    hub.put("org/tiny", "deberta")
    monkeypatch.setenv("HF_ENDPOINT", hub.environment["HF_ENDPOINT"])
    done = run("verifiers", "pull", "org/tiny")
    assert done.exit_code == 2
    assert "licence mit" in done.output
    assert re.search(r"model\.onnx +\d+ kB", done.output)
    assert "Add --yes." in done.output
    assert not any("/resolve/" in path for path in hub.asked)
    done = run("verifiers", "pull", "org/tiny", "--yes")
    assert done.exit_code == 0, done.output
    assert "Use it: factscope check TEXT --verifier org/tiny" in done.output
    hub.models.clear()
    (judge, *_) = check(run, "--verifier", "org/tiny")["judgements"]
    shown = run("verifiers", "show", "org/tiny").output
    assert f"\n    commit: {hub.commit('org/tiny')}\n" in shown
    assert f"judge: {judge['judge']}\n" in shown
    assert "org/tiny  here; 0 MB, mit" in run("verifiers", "list").output
    (tmp_path / "cache" / "verifiers").rename(tmp_path / "gone")
    assert "org/tiny" not in run("verifiers", "list").output


def test_a_model_that_cannot_be_loaded_is_reported_on_download(
    run: Run, hub: Hub, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    hub.put("org/strange", "deberta", model__onnx=b"not a network")
    monkeypatch.setenv("HF_ENDPOINT", hub.environment["HF_ENDPOINT"])
    done = run("verifiers", "pull", "org/strange", "--yes")
    assert done.exit_code != 0
    assert "can't be loaded" in done.output
    assert "Use it" not in done.output


def fetched(name: str, tiny: str, cache: Path) -> None:
    """Make a published checker look fetched, with a tiny model of its architecture."""
    known = published(name)
    assert known is not None
    folder = cache / "verifiers" / name
    shutil.copytree(TINY / tiny, folder)
    files = {}
    for path in folder.iterdir():
        digest = sha256(path.read_bytes()).hexdigest()
        files[path.name] = {"repository": "o/n", "commit": known.files[0].revision, "sha256": digest}
    order = sorted(files, key=lambda path: path in ("config.json", "tokenizer.json"))
    manifest = {"name": name, "licence": known.licence, "files": {path: files[path] for path in order}}
    (folder / "manifest.json").write_text(json.dumps(manifest))


PAGE = "".join((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("verifiers", "verifier-figures"))


@pytest.mark.medium
@pytest.mark.parametrize("bundled_suite", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_commands_of_the_page_run(
    bundled_suite: bool, server: lab.Server, run: Run, hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    hub.put("org/checker", "roberta", verifier__toml=None)
    monkeypatch.setenv("HF_ENDPOINT", hub.environment["HF_ENDPOINT"])
    fetched("hhem-2.1-open", "hhem", tmp_path / "cache")
    shutil.copytree(TINY / "deberta", tmp_path / "my-model")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    declared = next(block for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if "classes" in block)
    Path("verifier.toml").write_text(declared)
    commands = [
        line[2:] for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
    ]
    assert len(commands) == 14
    server.script([{"when": {"model": model}, "do": {"text": "Yes"}} for model in ("bespoke-minicheck", "my-checker")])
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    pair = {"claim": "The bridge has arches.", "evidence": "The bridge has four arches.", "label": "supported"}
    Path("my-suite").mkdir()
    row = json.dumps({"id": "1", "category": "plain", "note": "", **pair})
    Path("my-suite/pairs.jsonl").write_text(row, encoding="utf-8")
    for command in commands:
        words = shlex.split(command)
        if words[1:4] == ["verifiers", "pull", "hhem-2.1-open"]:
            continue  # its weights are not available here
        if (words[1:3] == ["verifiers", "behaviour"] and "--suite" not in words) != bundled_suite:
            continue
        done = run(*words[1:])
        assert done.exit_code == 0, f"{command}\n{done.output}"
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run([warm.python(), "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    declared = next(block for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if "chat" in block)
    Path("chat.toml").write_text(declared)
    assert load_plain("chat.toml").user == "Document: {passage}\nClaim: {claim}"


def test_the_table_of_the_page_matches_the_catalogue() -> None:
    known = {name: one for name in re.findall(r"`([\w.-]+)`", PAGE) if (one := published(name))}
    assert len(known) == 10
    for name, one in known.items():
        (row,) = [line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line]
        assert one.licence.partition(" (")[0] in row
    assert form_in(TINY / "deberta")
