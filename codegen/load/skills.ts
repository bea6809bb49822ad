/**
 * Reads and checks `skills/<name>/` of a service: texts that say how its tools are used together, in the format of the Agent Skills specification
 * (https://agentskills.io/specification).
 */

import { z } from 'zod';
import type { Skill } from '../../server/contract/index.ts';
import type { Problem } from '../diagnostics.ts';
import { nearest } from '../nearest.ts';
import { toConfigProblems } from './config-problems.ts';
import { listInside, readInside, type ServiceFolder } from './service-folder.ts';
import { parseSource } from './text/source.ts';

const FOLDER = 'skills';
const MAIN = 'SKILL.md';
const REFERENCES = 'references';
const REFERENCE = /^[a-z0-9][a-z0-9-]*\.md$/;
const FRONTMATTER = /^---\n([\s\S]*?\n)---\n/;
/** Of all files of one skill, which a model reads. */
const MAX_BYTES = 65_536;

/** Without `allowed-tools`: that asks a client to run tools without asking, which no server may (SEP-2640, Security Considerations). */
const frontmatterSchema = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case words of letters and digits, joined by single hyphens'),
  description: z.string().trim().min(1).max(1024),
  license: z.string().optional(),
  compatibility: z.string().min(1).max(500).optional(),
  metadata: z.record(z.string(), z.string()).refine(({ tools = '' }) => tools.trim() !== '', {
    path: ['tools'],
    message: 'must name the tools, separated by spaces',
  }),
});

/** One folder of `skills/`. */
export interface LoadedSkill extends Skill {
  /** Of the folder, relative to the project's root. */
  readonly folder: string;
}

interface Problems {
  readonly problems: readonly Problem[];
}

interface LoadedSkills extends Problems {
  readonly skills: readonly LoadedSkill[];
}

/** Sorted by name, without those that have a problem. */
export async function loadSkills(folder: ServiceFolder): Promise<LoadedSkills> {
  const skills: LoadedSkill[] = [];
  const problems: Problem[] = [];
  for (const name of await listInside(folder, FOLDER)) {
    const result = await loadSkill(folder, name);
    if ('problems' in result) problems.push(...result.problems);
    else skills.push(result);
  }
  return { skills, problems };
}

async function loadSkill(service: ServiceFolder, name: string): Promise<LoadedSkill | Problems> {
  const relative = `${FOLDER}/${name}`;
  const folder = `${service.file}/${relative}`;
  const refuse = (file: string, message: string): Problems => ({
    problems: [{ code: 'skill-file', file, pointer: '', message }],
  });
  const entries = await listInside(service, relative);
  const references = (await listInside(service, `${relative}/${REFERENCES}`)).map(
    (fileName) => `${REFERENCES}/${fileName}`,
  );
  const [strayEntry] = [
    ...entries.filter((entry) => entry !== MAIN && entry !== REFERENCES),
    ...references.filter((reference) => !REFERENCE.test(reference.slice(REFERENCES.length + 1))),
  ];
  if (strayEntry !== undefined)
    return refuse(`${folder}/${strayEntry}`, `A skill is ${MAIN} and ${REFERENCES}/<name>.md.`);
  const files: Record<string, string> = {};
  for (const fileName of [MAIN, ...references]) {
    const content = await readInside(service, `${relative}/${fileName}`);
    if ('refused' in content) return refuse(`${folder}/${fileName}`, content.message);
    files[fileName] = content.text.replaceAll('\r\n', '\n');
  }
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_BYTES) return refuse(folder, `Its files have ${bytes} bytes; at most ${MAX_BYTES} are served.`);
  const file = `${folder}/${MAIN}`;
  const [, yaml] = FRONTMATTER.exec(files[MAIN] ?? '') ?? [];
  if (yaml === undefined) return refuse(file, 'It does not begin with YAML frontmatter between two lines of "---".');
  // One line above: positions count from the first line of the file.
  const { value, faults, locate } = parseSource(file, `\n${yaml}`);
  const [fault] = faults;
  if (fault !== undefined) return refuse(file, `The frontmatter is not valid YAML: ${fault.message}`);
  const parsed = frontmatterSchema.safeParse(value);
  if (!parsed.success) {
    const configProblems = toConfigProblems(parsed.error, frontmatterSchema, value, file);
    return {
      problems: configProblems.map((problem) => ({
        ...problem,
        code: 'skill-file',
        position: locate(problem.pointer) ?? { line: 1, column: 1 },
      })),
    };
  }
  if (parsed.data.name !== name) return refuse(file, `Its name is "${parsed.data.name}", and its folder is ${name}/.`);
  const tools = parsed.data.metadata.tools?.trim().split(/\s+/) ?? [];
  return { folder, frontmatter: value as Skill['frontmatter'], tools: [...new Set(tools)].sort(), files };
}

/** A word in which the name of a tool may be. */
const NAME = /\b[a-z][a-z0-9_]*[a-z0-9]\b/g;

interface NamedTool {
  readonly name: string;
}

/**
 * Checks that a service has the tools that its skills name.
 *
 * @param toolPrefix Words that begin with it are read as names of tools, and so are the names of all tools.
 * @returns the skills by name, as they are served.
 */
export function checkSkills(
  skills: readonly LoadedSkill[],
  { tools: generated, handWritten }: Readonly<{ tools: readonly NamedTool[]; handWritten: readonly NamedTool[] }>,
  toolPrefix: string,
): { readonly skills: Readonly<Record<string, Skill>>; readonly problems: readonly Problem[] } {
  const tools = new Set([...generated, ...handWritten].map(({ name }) => name));
  const isToolName = (word: string) => word.startsWith(`${toolPrefix}_`) || (word.includes('_') && tools.has(word));
  const problems = skills.flatMap(({ folder, tools: listed, files }) =>
    Object.entries(files).flatMap(([name, text]) => {
      const words = [...text.matchAll(NAME)].map(({ 0: word, index }) => ({ word, index }));
      const named = words.flatMap(({ word }) => (isToolName(word) ? [word] : []));
      return [...(name === MAIN ? listed : []), ...named].flatMap((tool): Problem[] => {
        const message = messageFor(tool, { tools, listed });
        if (message === null) return [];
        const index = words.find(({ word }) => word === tool)?.index ?? text.indexOf(tool);
        const precedingLines = text.slice(0, index).split('\n');
        const position = { line: precedingLines.length, column: (precedingLines.at(-1)?.length ?? 0) + 1 };
        return [{ code: 'skill-tool', file: `${folder}/${name}`, pointer: '', position, message }];
      });
    }),
  );
  return {
    skills: Object.fromEntries(skills.map(({ folder: _, ...skill }) => [skill.frontmatter.name, skill])),
    problems: [...new Map(problems.map((problem) => [`${problem.file} ${problem.message}`, problem])).values()],
  };
}

function messageFor(
  tool: string,
  { tools, listed }: { readonly tools: ReadonlySet<string>; readonly listed: readonly string[] },
): string | null {
  if (!tools.has(tool)) {
    const [near] = nearest(tool, tools);
    return `There is no tool ${tool}.${near === undefined ? '' : ` Did you mean ${near}?`}`;
  }
  return listed.includes(tool) ? null : `The text names ${tool}, which metadata.tools does not list.`;
}
