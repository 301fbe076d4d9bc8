/** Treats words and candidates as data: no `eval`, and no `compgen -W`, which executes its argument. Works with bash 3. */
export const bashScript = `# bash completion for linkctl, printed by: linkctl completion bash
# It needs no other package, and evaluates neither what is typed nor what is offered.

_linkctl() {
  local line=\${COMP_LINE:0:COMP_POINT} rest='' tail='' quote='' start='' word='' program='' directive=0 i
  local -a words=() lines=()
  COMPREPLY=()

  # bash splits words at = and : too: what no blank divides is put together again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=\${line#"\${line%%[![:space:]]*}"}
    ((i == 0)) || [[ $rest != "$line" ]] && words+=('')
    tail=$rest
    ((i < COMP_CWORD)) && tail=\${COMP_WORDS[i]}
    words[\${#words[@]} - 1]+=$tail
    line=\${rest#"$tail"}
  done

  # The tail is what bash will replace, the start is what stays before it.
  word=\${words[\${#words[@]} - 1]}
  case $tail in
    [\\"\\']*) quote=\${tail:0:1} tail=\${tail:1} ;;
    *) [[ -z \${tail//[$COMP_WORDBREAKS]/} ]] && tail='' ;;
  esac
  [[ $tail == *[\\"\\']* ]] && return
  start=\${word%"$quote$tail"}
  start=\${start//[\\\\\\"\\']/}
  words=("\${words[@]//[\\\\\\"\\']/}")
  word=\${words[\${#words[@]} - 1]}

  # The program as it is typed, in any place and by any name; an alias is none.
  program=\${words[0]}
  [[ $program == '~/'* ]] && program=$HOME/\${program:2}
  type -P "$program" >/dev/null || program=linkctl

  while IFS= read -r line; do
    lines+=("$line")
  done < <(command "$program" __complete "\${words[@]:1}" 2>/dev/null </dev/null)
  ((\${#lines[@]} > 0)) && [[ \${lines[\${#lines[@]} - 1]} =~ ^:([0-9]+)$ ]] || return
  directive=\${BASH_REMATCH[1]}

  for line in "\${lines[@]:0:\${#lines[@]} - 1}"; do
    line=\${line%%$'\\t'*}
    [[ $line == "$word"* && $line != *[[:cntrl:]]* ]] || continue
    line=\${line#"$start"}
    case $quote in
      # A comma means something only in braces, and those are quoted.
      '') printf -v line %q "$line" && line=\${line//\\\\,/,} ;;
      \\') [[ $line == *\\'* ]] && continue ;;
      \\") [[ $line == *[\\"\\$\\\`\\\\!]* ]] && continue ;;
    esac
    COMPREPLY+=("$line")
  done

  # bash 3 has no compopt: there, file names are offered where nothing else is.
  type compopt >/dev/null 2>&1 || return 0
  ((directive & 2)) && compopt -o nospace 2>/dev/null
  ((directive & 4)) && compopt +o default 2>/dev/null
  ((directive & 32)) && compopt -o nosort 2>/dev/null
  ((directive & 16)) && compopt +o default -o dirnames 2>/dev/null
  return 0
}

complete -o default -F _linkctl linkctl
`;
