import type { Shell } from './shells.js';

/**
 * Script for each shell, to be run once. It asks `attractor completion SHELL -- WORDS` for candidates at
 * the cursor: a line for each word with its description after a tab, and one such as `:dot` for the files
 * that the shell should add. The answer is only ever data: no script evaluates it.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  // Bash splits words at = and :, which are joined again for the question and left out of the answers.
  bash: String.raw`# Completion of attractor for bash. In ~/.bashrc: eval "$(attractor completion bash)"
_attractor() {
    local -a words=()
    local raw='' previous='' current='' kept='' word='' kind=none i
    for ((i = 1; i <= COMP_CWORD; i++)); do
        raw=\${COMP_WORDS[i]}
        if ((\${#words[@]} > 0)) && [[ $raw =~ ^[=:]+$ || $previous =~ ^[=:]+$ ]]; then
            words[\${#words[@]} - 1]+=$raw
        else
            words+=("$raw")
        fi
        previous=$raw
    done
    current=\${words[\${#words[@]} - 1]}
    if [[ $raw =~ ^[=:]+$ ]]; then
        kept=$current
        raw=''
    else
        kept=\${current%"$raw"}
    fi
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        case $word in
            :*) kind=\${word#:} ;;
            *)
                COMPREPLY+=("\${word#"$kept"}")
                [[ $word == *= ]] && compopt -o nospace 2>/dev/null
                ;;
        esac
    done < <("$1" completion bash -- "\${words[@]}" 2>/dev/null </dev/null)
    case $kind in
        none) return 0 ;;
        dot) _attractor_add -f -X '!*.dot' -- "$raw" && _attractor_add -d -- "$raw" ;;
        folders) _attractor_add -d -- "$raw" ;;
        *) _attractor_add -f -- "$raw" ;;
    esac
    compopt -o filenames 2>/dev/null
    return 0
}
_attractor_add() {
    local file
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen "$@")
}
complete -F _attractor attractor
`.replaceAll('\\$', '$'),

  zsh: String.raw`#compdef attractor
# Completion of attractor for zsh. In ~/.zshrc, after compinit: eval "$(attractor completion zsh)"
_attractor() {
    local -a plain open
    local word text kind=none
    while IFS=$'\t' read -r word text; do
        case $word in
            :*) kind=\${word#:} ;;
            *=) open+=("\${word//:/\\:}:$text") ;;
            *) plain+=("\${word//:/\\:}:$text") ;;
        esac
    done < <("\${(Q)words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
    (($#plain)) && _describe -t values 'value' plain
    (($#open)) && _describe -t values 'value' open -S ''
    [[ $kind != none && $PREFIX == --*=* ]] && compset -P '*='
    case $kind in
        dot) _files -g '*.dot' ;;
        folders) _files -/ ;;
        any) _files ;;
    esac
}
if [[ $funcstack[1] == _attractor ]]; then
    _attractor "$@"
else
    compdef _attractor attractor
fi
`.replaceAll('\\$', '$'),

  fish: `# Completion of attractor for fish. In ~/.config/fish/config.fish: attractor completion fish | source
function __attractor_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null </dev/null)
        switch $line
            case ':dot'
                __fish_complete_suffix .dot
            case ':folders'
                __fish_complete_directories "$current"
            case ':any'
                __fish_complete_path "$current"
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c attractor -f -a '(__attractor_complete)'
`,
};
