#!/usr/bin/env bash
# The steps of action.yml: steps.sh setup|lint|format|test|diff|run. Inputs come as INPUT_… and are data: quoted, never evaluated,
# and behind `--` where they are names. Bash 3.2 of macOS has no mapfile, so lines are read in loops.
set -eo pipefail

# Ends the step with a message for the person who wrote the workflow.
refuse() {
  printf '::error title=attractor::%s\n' "$1"
  exit 2
}

# Puts the lines of $1 that are not blank into the array `lines`.
read_lines() {
  local line
  lines=()
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    [[ $line =~ ^[[:space:]]*$ ]] || lines+=("$line")
  done <<<"$1"
}

random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Sets the output $1 of the step to $2, whatever is in it.
output() {
  local mark
  mark="end-$(random)"
  printf '%s<<%s\n%s\n%s\n' "$1" "$mark" "$2" "$mark" >>"$GITHUB_OUTPUT"
}

# Runs a command in whose output the runner obeys nothing: names of files and cases come from a pull request.
without_commands() {
  local mark status=0
  mark="attractor-$(random)"
  printf '::stop-commands::%s\n' "$mark"
  "$@" || status=$?
  printf '\n::%s::\n' "$mark"
  return "$status"
}

setup() {
  local major minor directory="$RUNNER_TEMP/attractor-$INPUT_VERSION"
  if ! command -v node >/dev/null; then refuse 'Node 20.19 or newer is needed: add actions/setup-node before this step'; fi
  IFS=. read -r major minor _ <<<"$(node -p process.versions.node)"
  if [ "$major" -lt 20 ] || { [ "$major" -eq 20 ] && [ "$minor" -lt 19 ]; }; then
    refuse "Node 20.19 or newer is needed, and this is $major.$minor: add actions/setup-node before this step"
  fi
  if [ -n "$INPUT_EXECUTABLE" ]; then
    if [ ! -x "$INPUT_EXECUTABLE" ]; then refuse 'executable is no file that can be executed: install it before this step, or leave this input out'; fi
    output executable "$(cd -- "$(dirname -- "$INPUT_EXECUTABLE")" && pwd)/$(basename -- "$INPUT_EXECUTABLE")"
    return
  fi
  # A version, a range or a tag; anything else would let npm install from another place.
  if [[ ! $INPUT_VERSION =~ ^[0-9A-Za-z^~][0-9A-Za-z.+-]*$ ]]; then refuse 'version is no version of attractor-dot, such as 0.2.0'; fi
  # With a place of its own, npm reads neither the packages nor the settings of the repository.
  mkdir -p "$directory"
  (cd "$directory" && npm install --prefix . --no-audit --no-fund --loglevel=error -- "attractor-dot@$INPUT_VERSION")
  output executable "$directory/node_modules/.bin/attractor"
}

lint() {
  local options=(--format github)
  read_lines "$INPUT_LINT"
  if [ -n "$INPUT_MAX_WARNINGS" ]; then options+=("--max-warnings=$INPUT_MAX_WARNINGS"); fi
  "$ATTRACTOR" lint "${options[@]}" -- "${lines[@]}"
}

format() {
  read_lines "$INPUT_FORMAT"
  without_commands "$ATTRACTOR" fmt --check -- "${lines[@]}"
}

test_pipelines() {
  local status=0 coverage="$RUNNER_TEMP/attractor-coverage.info" printed="$RUNNER_TEMP/attractor-tests.txt"
  read_lines "$INPUT_TEST"
  # pipefail: the status is that of the tests.
  without_commands "$ATTRACTOR" test --coverage table -- "${lines[@]}" 2>&1 | tee "$printed" || status=$?
  {
    printf '### Tests of pipelines\n\n<pre>'
    grep -v -e '^::' "$printed" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g' || true
    printf '</pre>\n\n'
  } >>"$GITHUB_STEP_SUMMARY"
  if [ "$status" -le 1 ]; then
    "$ATTRACTOR" test --coverage lcov -- "${lines[@]}" >"$coverage" 2>/dev/null || true
    output coverage "$coverage"
  fi
  return "$status"
}

# Makes sure that the base revision is there: a checkout has one commit unless told otherwise. Prints it.
base_commit() {
  case $INPUT_BASE in
    '' | 0000000000000000000000000000000000000000) refuse 'there is no base revision to compare with: name one as base' >&2 ;;
    -*) refuse 'base is no revision' >&2 ;;
  esac
  if ! git rev-parse --verify --quiet "$INPUT_BASE^{commit}"; then
    if ! git fetch --quiet --no-tags --depth=1 origin -- "$INPUT_BASE" >&2; then
      refuse 'the base revision is neither here nor at origin: let actions/checkout fetch it (fetch-depth: 0)' >&2
    fi
    git rev-parse --verify --quiet 'FETCH_HEAD^{commit}'
  fi
}

# Appends what has changed from $1 (of the base) to $2 to the file $3; false if the meaning is the same.
compare() {
  local status=0
  "$ATTRACTOR" diff --markdown --exit-code -- "$base:$1" "$2" >"$section" 2>"$section.log" || status=$?
  if [ "$status" -gt 1 ]; then
    # Lint says what is wrong with the new version, at its line.
    printf '### %s\n\nThis cannot be compared: one version has errors.\n' "$(code "$2")" >"$section"
    without_commands cat "$section.log"
  fi
  [ "$status" -ne 0 ]
}

# A name as Markdown shows it, in one line.
code() {
  printf '<code>%s</code>' "$(printf '%s' "$1" | tr '\n\r' '  ' | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g' -e 's/[][`*_|@\\]/\\&/g')"
}

# GitHub takes 65 536 characters in a comment.
comment_limit=60000

# Adds the section to the comment if it fits, and to the summary of the step.
add_section() {
  cat "$section" >>"$summary"
  printf '\n' >>"$summary"
  if [ "$(($(wc -c <"$comment") + $(wc -c <"$section")))" -le "$comment_limit" ]; then
    cat "$section" >>"$comment"
    printf '\n' >>"$comment"
  else
    omitted=$((omitted + 1))
  fi
}

diff_pipelines() {
  local section="$RUNNER_TEMP/attractor-section.md" summary="$RUNNER_TEMP/attractor-differences.md"
  local comment="$RUNNER_TEMP/attractor-comment.md" omitted=0 changed=false base change name former
  read_lines "$INPUT_DIFF"
  base=$(base_commit)
  base=$(git rev-parse --short "$base")
  # By this line a workflow finds its comment again.
  printf '<!-- attractor-dot diff -->\n' >"$comment"
  : >"$summary"
  # What was renamed, added or removed; all others are compared, because the files of their prompts may have changed.
  local known=()
  while IFS= read -r -d '' change; do
    IFS= read -r -d '' name
    former=$name
    case $change in
      A)
        printf '### %s\n\nThis pipeline is new.\n' "$(code "$name")" >"$section"
        known+=("$name")
        ;;
      D) printf '### %s\n\nThis pipeline is gone.\n' "$(code "$name")" >"$section" ;;
      R*)
        IFS= read -r -d '' name
        known+=("$name")
        compare "$former" "$name" || printf '### %s → %s\n\nRenamed, with no difference in meaning.\n' "$(code "$former")" "$(code "$name")" >"$section"
        ;;
      *) continue ;;
    esac
    changed=true
    add_section
  done < <(git diff --relative --name-status -z --find-renames --diff-filter=ADR "$base" -- "${lines[@]}")
  while IFS= read -r -d '' name; do
    local other is_known=false
    for other in "${known[@]}"; do if [ "$other" = "$name" ]; then is_known=true; fi; done
    if [ "$is_known" = true ] || [ ! -e "$name" ] || ! compare "$name" "$name"; then continue; fi
    changed=true
    add_section
  done < <(git ls-files -z -- "${lines[@]}")
  if [ "$changed" = false ]; then
    printf 'No pipeline has changed in meaning.\n' | tee -a "$comment" >>"$summary"
  fi
  if [ "$omitted" -gt 0 ]; then
    printf '%d more in the summary of the job: a comment has no room for them.\n' "$omitted" >>"$comment"
  fi
  cat "$summary" >>"$GITHUB_STEP_SUMMARY"
  output comment "$comment"
  output changed "$changed"
}

# Runs a command to its end and sets `code` to its status. When a job is cancelled, the runner signals this shell alone: SIGTERM
# makes the run stop its stages and pause, so that it can be resumed.
run_to_end() {
  local child interrupted=false
  code=0
  "$@" </dev/null &
  child=$!
  trap 'interrupted=true; kill -TERM "$child" 2>/dev/null || true' INT TERM
  wait "$child" || code=$?
  if [ "$interrupted" = true ]; then
    code=0
    wait "$child" || code=$?
  fi
  trap - INT TERM
}

run() {
  local code status
  read_lines "$INPUT_ARGUMENTS"
  output run-directory "$(absolute "$INPUT_RUN_DIRECTORY")"
  if [ "$INPUT_RESUME" = true ]; then
    run_to_end "$ATTRACTOR" resume "${lines[@]}" -- "$(absolute "$INPUT_RUN_DIRECTORY")"
  else
    run_to_end "$ATTRACTOR" run "--run-dir=$INPUT_RUN_DIRECTORY" "${lines[@]}" -- "$INPUT_RUN"
  fi
  case $code in
    0) status=success ;;
    1) status=failed ;;
    3) status=waiting ;;
    4) status=cancelled ;;
    130) status=interrupted ;;
    *) status=error ;;
  esac
  output status "$status"
  output exit-code "$code"
  if [ "$status" = waiting ] && [ "$INPUT_FAIL_WHEN_WAITING" != true ]; then return 0; fi
  return "$code"
}

absolute() {
  case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s/%s' "$PWD" "$1" ;;
  esac
}

case $1 in
  setup | lint | format | run) "$1" ;;
  test) test_pipelines ;;
  diff) diff_pipelines ;;
  *) refuse "steps.sh has no step \"$1\"" ;;
esac
