import { describe, expect, test } from 'vitest';
import { generate } from '../../../codegen/generate.ts';
import { descriptor, writeRoot } from './service-files.ts';

const skill = (front: string, body = 'Call `notes_list_notes`.') => `---\n${front}\n---\n\n${body}\n`;
const FRONT = 'name: tidy\ndescription: Tidies notes.\nmetadata:\n  tools: notes_list_notes';

async function generated(files: Record<string, string | Uint8Array>, config = '') {
  const named = Object.entries(files).map(([file, text]) => [`specs/notes/skills/${file}`, text]);
  const root = await writeRoot({
    'specs/notes/openapi.yaml': `servers: [{ url: https://notes.example.com }]\n${descriptor('      operationId: listNotes')}`,
    'specs/notes/connector.yaml': config,
    ...Object.fromEntries(named),
  });
  const { files: written, diagnostics } = await generate({ root });
  const said = diagnostics.filter(({ severity }) => severity === 'error');
  return {
    texts: new Map(written.map(({ path, text }) => [path, text])),
    said: said.map(({ code, file, position, message }) => {
      return `${code} ${file.replace('specs/notes/skills/', '')}:${position?.line ?? ''} ${message}`;
    }),
  };
}

describe('skills of a service', () => {
  test('are written with frontmatter, tools and every text, and named in TOOLS.md', async () => {
    const { texts, said } = await generated({
      'tidy/SKILL.md': skill(FRONT).replaceAll('\n', '\r\n'),
      'tidy/references/rules.md': 'Rules.\n',
    });
    expect(said).toEqual([]);
    const written = texts.get('generated/notes/skills.ts');
    expect(written).toContain("metadata: { tools: 'notes_list_notes' }");
    expect(written).toContain("tools: ['notes_list_notes'],");
    expect(written).toContain("'references/rules.md': 'Rules.\\n'");
    expect(written).not.toContain('\\r');
    expect(texts.get('generated/notes/index.ts')).toContain('skills: skillTexts,');
    expect(texts.get('generated/notes/TOOLS.md')).toContain(
      '| [`tidy`](skills.ts) | Tidies notes. | `notes_list_notes` |',
    );
  });

  test('that are not there leave no trace', async () => {
    const { texts } = await generated({});
    expect(texts.has('generated/notes/skills.ts')).toBe(false);
    expect(`${texts.get('generated/notes/index.ts')}${texts.get('generated/notes/TOOLS.md')}`).not.toMatch(/skill/i);
  });

  test.each<[string, Record<string, string | Uint8Array>, string]>([
    [
      'a tool that is not there, with the nearest',
      { 'tidy/SKILL.md': skill(FRONT.replace('list_notes', 'list_note')) },
      'skill-tool tidy/SKILL.md:5 There is no tool notes_list_note. Did you mean notes_list_notes?',
    ],
    [
      'a typing error in the text',
      { 'tidy/SKILL.md': skill(FRONT, 'First.\n\nCall notes_list_nots.') },
      'skill-tool tidy/SKILL.md:10 There is no tool notes_list_nots. Did you mean notes_list_notes?',
    ],
    [
      'a tool of a text that metadata.tools does not list',
      {
        'tidy/SKILL.md': skill(FRONT.replace('notes_list_notes', 'other_tool'), 'Nothing.'),
        'tidy/references/a.md': 'notes_list_notes',
      },
      'skill-tool tidy/references/a.md:1 The text names notes_list_notes, which metadata.tools does not list.',
    ],
    ['no SKILL.md', { 'tidy/references/a.md': 'x' }, 'skill-file tidy/SKILL.md: skills/tidy/SKILL.md does not exist.'],
    [
      'another file',
      { 'tidy/SKILL.md': skill(FRONT), 'tidy/run.sh': 'rm -rf /' },
      'skill-file tidy/run.sh: A skill is',
    ],
    [
      'a file that is no text in references',
      { 'tidy/SKILL.md': skill(FRONT), 'tidy/references/a.png': 'x' },
      'skill-file tidy/references/a.png: A skill is',
    ],
    [
      'no frontmatter',
      { 'tidy/SKILL.md': '# Tidy\n' },
      'skill-file tidy/SKILL.md: It does not begin with YAML frontmatter',
    ],
    [
      'frontmatter that is not YAML',
      { 'tidy/SKILL.md': skill('name: [') },
      'skill-file tidy/SKILL.md: The frontmatter is not',
    ],
    [
      'another name than its folder',
      { 'clean/SKILL.md': skill(FRONT) },
      'skill-file clean/SKILL.md: Its name is "tidy"',
    ],
    [
      'a name that is not allowed',
      { 'Tidy/SKILL.md': skill(FRONT.replace('tidy', 'Tidy')) },
      'skill-file Tidy/SKILL.md:2 ',
    ],
    ['two hyphens in a row', { 'a--b/SKILL.md': skill(FRONT.replace('tidy', 'a--b')) }, 'skill-file a--b/SKILL.md:2 '],
    [
      'a description over 1,024 characters',
      { 'tidy/SKILL.md': skill(FRONT.replace('Tidies', 'x'.repeat(1025))) },
      'skill-file tidy/SKILL.md:3 ',
    ],
    [
      'no tools',
      { 'tidy/SKILL.md': skill('name: tidy\ndescription: Tidies.\nmetadata: { a: b }', 'x') },
      'skill-file tidy/SKILL.md:4 ',
    ],
    [
      'allowed-tools, which no server may ask for',
      { 'tidy/SKILL.md': skill(`${FRONT}\nallowed-tools: Bash`) },
      'skill-file tidy/SKILL.md:6 ',
    ],
    [
      'bytes that are not UTF-8',
      { 'tidy/SKILL.md': Uint8Array.of(0xff, 0xfe) },
      'skill-file tidy/SKILL.md: skills/tidy/SKILL.md is not UTF-8',
    ],
    ['more than 64 KiB', { 'tidy/SKILL.md': skill(FRONT, 'x'.repeat(65_536)) }, 'skill-file tidy: Its files have'],
  ])('are refused for %s', async (_title, files, want) => {
    const { said } = await generated(files);
    expect(said).toContainEqual(expect.stringContaining(want));
  });

  test('are refused for a tool that they do not list, whatever the prefix of the tools', async () => {
    const front = FRONT.replace('notes_list_notes', 'nt_list_notes');
    const { said } = await generated(
      { 'tidy/SKILL.md': skill(front, 'First nt_list_notes.\n\nThen nt_delete_note.') },
      'toolPrefix: nt',
    );
    expect(said).toEqual(['skill-tool tidy/SKILL.md:10 There is no tool nt_delete_note.']);
  });

  test('are refused for a tool that they do not list, whatever its name', async () => {
    const { said } = await generated(
      { 'tidy/SKILL.md': skill(FRONT, 'Call all_notes or all_of_them.') },
      'tools: { all_notes: { operation: listNotes } }',
    );
    expect(said).toContain('skill-tool tidy/SKILL.md:8 The text names all_notes, which metadata.tools does not list.');
    expect(said.join()).not.toContain('all_of_them');
  });

  test('are refused at the name itself, not at a longer one', async () => {
    const text = 'Not notes_list_notes.\n\nBut notes_list.';
    const { said } = await generated({ 'tidy/SKILL.md': skill(FRONT, text) });
    expect(said).toEqual([expect.stringContaining('skill-tool tidy/SKILL.md:10 There is no tool notes_list.')]);
  });
});
