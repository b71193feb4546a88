"""`vllm bench serve` by its own entry, without the rest of vLLM's command line, which imports the GPU engine."""

import sys

from vllm.benchmarks.serve import add_cli_args, main
from vllm.utils.argparse_utils import FlexibleArgumentParser

parser = FlexibleArgumentParser(description="vllm bench serve")
add_cli_args(parser)
main(parser.parse_args(sys.argv[1:][2:] if sys.argv[1:3] == ["bench", "serve"] else sys.argv[1:]))
