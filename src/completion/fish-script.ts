/** fish quotes inserted text itself. */
export const fishScript = `# fish completion for linkctl, printed by: linkctl completion fish
# It evaluates neither what is typed nor what is offered.

function __linkctl_complete
    set -l words (commandline -opc)
    # The program as it is typed, in any place and by any name; an alias is none.
    set -l program (string replace --regex '^~/' "$HOME/" -- (string unescape -- $words[1]))
    command --query $program; or set program linkctl
    set -e words[1]
    set -l typed (commandline -ct)
    # A quote that is still open cannot be unescaped.
    set -l current (string unescape -- "$typed"; or string trim --left --chars '"\\'' -- "$typed")

    set -l lines (command $program __complete $words "$current" 2>/dev/null </dev/null)
    string match --quiet --regex '^:[0-9]+$' -- "$lines[-1]"; or return
    set -l directive (string sub --start 2 -- $lines[-1])
    set -e lines[-1]

    set -l flag (string match --regex -- '^--[^=]+=' "$current")
    set -l path (string sub --start (math (string length -- "$flag") + 1) -- "$current")
    if test (math "bitand($directive, 16)") -ne 0
        set lines "$flag"(__fish_complete_directories "$path" '')
    else if test (math "bitand($directive, 4)") -eq 0
        set lines "$flag"(__fish_complete_path "$path")
    end
    if test (math "bitand($directive, 32)") -eq 0; and test (count $lines) -gt 0
        set lines (printf '%s\\n' $lines | sort)
    end
    # A tab stands before the meaning; no other control character belongs here.
    string match --invert --regex '[\\x01-\\x08\\x0a-\\x1f\\x7f]' -- $lines
end

complete --command linkctl --no-files --keep-order --arguments '(__linkctl_complete)'
`;
