/** Inserts quoted text. Works with Windows PowerShell 5.1. */
export const powershellScript = `# PowerShell completion for linkctl, printed by: linkctl completion powershell
# It evaluates neither what is typed nor what is offered.

Register-ArgumentCompleter -Native -CommandName linkctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @(foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value }
        else { $element.Extent.Text }
    })
    $current = "$wordToComplete".Trim([char[]]@("'", '"'))
    # Before 7.3 an empty argument has to be quoted by hand, or it is dropped.
    if ($current -eq '' -and ($PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy')) {
        $current = '""'
    }

    # The program as it is typed, in any place and by any name; an alias is none.
    $program = $commandAst.GetCommandName()
    if (-not (Get-Command $program -CommandType Application -ErrorAction Ignore)) { $program = 'linkctl' }
    $lines = @(& $program __complete @words $current 2>$null)
    if ($lines.Count -eq 0 -or $lines[-1] -notmatch '^:(\\d+)$') { return }
    $directive = [int]$Matches[1]
    # Where nothing is returned, PowerShell offers file names by itself.
    if (($directive -band 4) -eq 0) { return }

    $offered = @(foreach ($line in @($lines | Select-Object -SkipLast 1)) {
        $value, $meaning = $line -split "\`t", 2
        if ($value -match '\\p{Cc}') { continue }
        $text = $value
        if ($value -match '[^\\w./:=+-]') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
        }
        if (-not $meaning) { $meaning = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $meaning)
    })
    if ($offered.Count -eq 0) { '' } else { $offered }
}
`;
