/** The page of all keys of `connector.yaml`. */

import { EXAMPLES } from './examples.ts';
import { listReferenceSections } from './keys.ts';

/** Its committed file, relative to the project's root. Written by `npm run docs`. */
export const CONNECTOR_REFERENCE_FILE = 'docs/reference/connector-yaml.md';

const HEAD = `# connector.yaml, key by key

What we decide about one service, in \`specs/<service>/connector.yaml\`. Every key is optional unless it is required in its object; an empty file is
valid. [Connectors](../guides/connectors.md#connectoryaml) explains how the keys work together; mistakes are printed with file, line and column.

Examples show the value of the key, in one line of YAML; if a key needs others, they are shown with it.
A test checks each against the loader.
`;

/** Throws for a key that has no meaning or no example; both are defined next to the schema. */
export function emitConnectorReference(): string {
  const sections = listReferenceSections();
  const problems = sections.flatMap(({ path, keys }) =>
    keys.flatMap(({ name, meaning }) => [
      ...(meaning === '' ? [`${path}.${name} has no description in its schema`] : []),
      ...(exampleOf(path, name) === null
        ? [`${path}.${name} has no example in codegen/load/reference/examples.ts`]
        : []),
    ]),
  );
  if (problems.length > 0) throw new Error(`${problems.join('\n')}`);
  const texts = sections.map(({ path, keys }) => {
    const rows = keys.map(({ name, type, otherwise, meaning, section }) => [
      section === null ? code(name) : `[${code(name)}](#${anchorOf(section)})`,
      type,
      otherwise,
      meaning.replaceAll(/[*<]/g, '\\$&'),
      code(exampleOf(path, name) ?? ''),
    ]);
    const table = [['Key', 'Type', 'Default', 'Meaning', 'Example'], Array(5).fill('---'), ...rows];
    const lines = table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    return `## ${path === '' ? 'The file' : path.replaceAll('<', '\\<')}\n\n${lines.join('\n')}\n`;
  });
  return `${HEAD}\n${texts.join('\n')}`;
}

/** The shortest example of a section that has the key; null if none does. */
export function exampleOf(section: string, key: string): string | null {
  const has = (example: string) => new RegExp(`(?:^|[{,] )${key.replaceAll('$', '\\$')}:(?= )`).test(example);
  const own = (EXAMPLES[section] ?? []).filter((example) =>
    example.startsWith('{') ? has(example) : example.startsWith(`${key}: `),
  );
  return own.sort((a, b) => a.length - b.length)[0] ?? null;
}

/** The anchor that GitHub gives the heading of a section. */
function anchorOf(section: string): string {
  return section
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}

function code(text: string): string {
  return `\`${text}\``;
}
