/** The completion command: a script that completes commands and their options in a shell. */

import { Argument, type Command } from 'commander';
import { addHelpTable, type CommandGroups, createCommand, namedIn } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';

const SHELLS = { bash: toBash, zsh: toZsh, fish: toFish } as const;

/** What may follow a command: its subcommands and its options. */
type Words = ReadonlyMap<string, readonly string[]>;

/** `utg completion`. */
export function createCompletionCommand(list: () => Promise<CommandGroups>, output = PROCESS_OUTPUT): Command {
  const command = createCommand('completion', output)
    .summary('print shell completion')
    .description('Prints a script that completes the names of commands and options.')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .action(async (shell: keyof typeof SHELLS) => {
      output.out(SHELLS[shell](await readWords(await list())));
    });
  return addHelpTable(command, 'Examples', {
    'source <(utg completion bash)': 'in ~/.bashrc',
    'utg completion fish > ~/.config/fish/completions/utg.fish': 'for fish',
  });
}

async function readWords(groups: CommandGroups): Promise<Words> {
  const commands = await Promise.all(
    [...namedIn(groups)].map(async ([name, { load }]) => [name, await load().then(toWords, () => [])] as const),
  );
  return new Map(commands);
}

function toWords(command: Command): string[] {
  const options = [command, ...command.commands].flatMap((each) => each.options.map(({ long }) => long ?? ''));
  return [...new Set([...command.commands.map((each) => each.name()), ...options, '--help'])].filter(
    (word) => word !== '',
  );
}

function toBash(words: Words): string {
  const cases = [...words].map(([name, after]) => `    ${name}) words='${after.join(' ')}' ;;\n`).join('');
  return (
    `_utg() {\n  local words='${[...words.keys()].join(' ')}'\n  COMP_WORDBREAKS=\${COMP_WORDBREAKS//:}\n` +
    `  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in\n${cases}    *) words='' ;;\n  esac\n` +
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))\n}\n` +
    'complete -o default -F _utg utg\n'
  );
}

function toZsh(words: Words): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${toBash(words)}`;
}

function toFish(words: Words): string {
  const names = [...words.keys()].map((name) => `complete -c utg -n __fish_use_subcommand -f -a '${name}'\n`);
  const after = [...words].map(
    ([name, list]) => `complete -c utg -n '__fish_seen_subcommand_from ${name}' -a '${list.join(' ')}'\n`,
  );
  return [...names, ...after].join('');
}
