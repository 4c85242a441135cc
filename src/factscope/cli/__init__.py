"""The command line: one module per command. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from factscope.cli import (
    annotate_command,
    bench_command,
    bench_factbench,
    bench_feedback,
    bench_probes,
    bench_recall,
    bench_rounds,
    bench_table,
    bench_templates,
    benchmarks_command,
    calibrate_command,
    check_command,
    compare_command,
    config_command,
    curate_command,
    curate_update,
    demo_command,
    doctor_command,
    evidence_command,
    export_command,
    leaderboard_command,
    meta_command,
    methods_command,
    run_command,
    schema_command,
    score_command,
    serve_command,
    verifiers_behaviour,
    verifiers_bench,
    verifiers_command,
)
from factscope.cli.options import ManyPaths
from factscope.cli.output import silence_stdout, tell_error
from factscope.core.errors import FactscopeError
from factscope.core.version import __version__

INTERRUPTED = 130


class Commands(TyperGroup):
    """The group of all commands: turns our errors into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Errors that a person can mend are printed without a traceback."""
        try:
            return super().invoke(ctx)
        except FactscopeError as error:
            tell_error(error)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            typer.echo("\nfactscope: Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader of our output has gone, as `head` does
            silence_stdout()
            raise typer.Exit(0) from None


app = typer.Typer(
    cls=Commands,
    name="factscope",
    help="Check what a text claims against evidence.",
    epilog="Example: factscope check answer.md --evidence documents/ --format html -o report.html",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # measured: help with rich takes twice the time
    context_settings={"help_option_names": ["-h", "--help"]},
)
methods_app = typer.Typer(help="The ways to check a text.", no_args_is_help=True)
benchmarks_app = typer.Typer(help="Labelled data sets to measure checkers against.", no_args_is_help=True)
bench_app = typer.Typer(help="Language models measured by a benchmark.", no_args_is_help=True)
curate_app = typer.Typer(help="Benchmarks made from conversations.", no_args_is_help=True)
leaderboard_app = typer.Typer(help="Measured models and checkers as a static site.", no_args_is_help=True)
verifiers_app = typer.Typer(help="Who judges without a language model.", no_args_is_help=True)
config_app = typer.Typer(help="The settings in force.", no_args_is_help=True)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"factscope {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Check what a text claims against evidence."""


app.command("check", cls=ManyPaths, epilog=check_command.EXAMPLE)(check_command.check)
app.command("run", cls=ManyPaths, epilog=run_command.EXAMPLE)(run_command.run)
app.command("compare", epilog=compare_command.EXAMPLE)(compare_command.compare)
app.command("demo", epilog=demo_command.EXAMPLE)(demo_command.demo)
app.command("evidence", cls=ManyPaths, epilog=evidence_command.EXAMPLE)(evidence_command.evidence)
app.command("meta", cls=ManyPaths, epilog=meta_command.EXAMPLE)(meta_command.meta)
app.command("calibrate", epilog=calibrate_command.EXAMPLE)(calibrate_command.calibrate)
app.command("score", epilog=score_command.EXAMPLE)(score_command.score)
app.command("export", epilog=export_command.EXAMPLE)(export_command.export)
app.command("doctor", epilog=doctor_command.EXAMPLE)(doctor_command.doctor)
app.command("serve", cls=ManyPaths, epilog=serve_command.EXAMPLE)(serve_command.serve)
app.command("annotate", epilog=annotate_command.EXAMPLE)(annotate_command.annotate)
app.command("schema", epilog=schema_command.EXAMPLE)(schema_command.schema)
methods_app.command("list", epilog=methods_command.EXAMPLE)(methods_command.list_methods)
benchmarks_app.command("list", epilog=benchmarks_command.EXAMPLE)(benchmarks_command.list_benchmarks)
bench_app.command("factbench", cls=ManyPaths, epilog=bench_factbench.EXAMPLE)(bench_factbench.factbench)
bench_app.command("facts-grounding", epilog=bench_command.EXAMPLE)(bench_command.facts_grounding)
bench_app.command("facts-probes", epilog=bench_probes.EXAMPLE)(bench_probes.facts_probes)
bench_app.command("facts-table", epilog=bench_table.EXAMPLE)(bench_table.facts_table)
bench_app.command("facts-templates", epilog=bench_templates.EXAMPLE)(bench_templates.facts_templates)
curate_app.command("build", cls=curate_command.ManyLogs, epilog=curate_command.BUILD_EXAMPLE)(curate_command.build)
curate_app.command("update", cls=curate_command.ManyLogs, epilog=curate_update.UPDATE_EXAMPLE)(curate_update.update)
curate_app.command("difficulty", epilog=curate_update.DIFFICULTY_EXAMPLE)(curate_update.difficulty)
curate_app.command("explore", epilog=curate_update.EXPLORE_EXAMPLE)(curate_update.explore)
bench_app.command("recall", epilog=bench_recall.EXAMPLE)(bench_recall.recall)
bench_app.command("rounds", cls=ManyPaths, epilog=bench_rounds.EXAMPLE)(bench_rounds.rounds)
bench_app.command("feedback", epilog=bench_feedback.EXAMPLE)(bench_feedback.feedback)
leaderboard_app.command("build", epilog=leaderboard_command.BUILD_EXAMPLE)(leaderboard_command.build)
leaderboard_app.command("check", epilog=leaderboard_command.CHECK_EXAMPLE)(leaderboard_command.check)
config_app.command("show", epilog=config_command.EXAMPLE)(config_command.show)
app.add_typer(methods_app, name="methods")
app.add_typer(benchmarks_app, name="benchmarks")
app.add_typer(bench_app, name="bench")
app.add_typer(curate_app, name="curate")
app.add_typer(leaderboard_app, name="leaderboard")
verifiers_app.command("list", epilog=verifiers_command.LIST_EXAMPLE)(verifiers_command.list_verifiers)
verifiers_app.command("pull", epilog=verifiers_command.PULL_EXAMPLE)(verifiers_command.pull)
verifiers_app.command("bench", epilog=verifiers_bench.EXAMPLE)(verifiers_bench.bench)
verifiers_app.command("behaviour", epilog=verifiers_behaviour.EXAMPLE)(verifiers_behaviour.behaviour)
verifiers_app.command("show", epilog=verifiers_command.SHOW_EXAMPLE)(verifiers_command.show)
app.add_typer(verifiers_app, name="verifiers")
app.add_typer(config_app, name="config")


def main() -> None:
    """Run the command line and exit."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - closed by the caller, open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # an old terminal shows a sign for what it can't, and nothing ends
            stream.reconfigure(errors="replace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        print(f"factscope: Standard output can't be written: {error.strerror}.", file=sys.stderr)  # noqa: T201
        sys.exit(1)
