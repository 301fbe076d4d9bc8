/** `compadd` quotes inserted text itself. The script works in `fpath` as `_linkctl` and when sourced. */
export const zshScript = `#compdef linkctl
# zsh completion for linkctl, printed by: linkctl completion zsh
# It evaluates neither what is typed nor what is offered.

_linkctl() {
  local line word program
  local -a typed lines values meanings shown options
  local -i directive width=0 i

  typed=("\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}")
  # The program as it is typed, in any place and by any name; an alias is none.
  program=\${(Q)words[1]}
  [[ $program == '~/'* ]] && program=$HOME/\${program:2}
  whence -p -- "$program" >/dev/null || program=linkctl
  lines=("\${(@f)$(command "$program" __complete "\${typed[@]}" 2>/dev/null </dev/null)}")
  [[ \${lines[-1]} == :<-> ]] || return 1
  directive=\${lines[-1]#:}
  lines[-1]=()

  if ((directive & 16)); then
    compset -P '--*='
    _files -/
    return
  elif ((!(directive & 4))); then
    compset -P '--*='
    _files
    return
  fi

  for line in "\${lines[@]}"; do
    word=\${line%%$'\\t'*}
    [[ -n $word && $word != *[[:cntrl:]]* ]] || continue
    values+=("$word")
    meanings+=("\${line#"$word"}")
    ((\${#word} > width)) && width=\${#word}
  done
  ((directive & 2)) && options+=(-S '')
  ((directive & 32)) && options+=(-V runs)
  if [[ -n \${(j::)meanings} ]]; then
    for ((i = 1; i <= \${#values}; i++)); do
      line="\${(r:$width:)values[i]}  \${meanings[i]#$'\\t'}"
      shown+=("\${line[1,COLUMNS-1]}")
    done
    options+=(-l -d shown)
  fi
  compadd "\${options[@]}" -a values
}

if [[ \${funcstack[1]} == _linkctl ]]; then
  _linkctl "$@"
else
  compdef _linkctl linkctl
fi
`;
