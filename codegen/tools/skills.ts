/** Checks that a service has the tools that its skills name: a skill of a wrong name sends an agent nowhere. */

import type { Skill } from '../../server/contract/index.ts';
import type { Problem } from '../diagnostics.ts';
import type { LoadedSkill } from '../load/skills.ts';
import { nearest } from '../nearest.ts';
import type { ConnectorModel } from './types.ts';

/** @returns the skills by name, as they are served. */
export function checkSkills(
  skills: readonly LoadedSkill[],
  { name: service, tools: generated, handWritten }: Pick<ConnectorModel, 'name' | 'tools' | 'handWritten'>,
): { readonly skills: Readonly<Record<string, Skill>>; readonly problems: readonly Problem[] } {
  const tools = new Set([...generated, ...handWritten].map(({ name }) => name));
  const named = new RegExp(`\\b${service.replaceAll('-', '_')}_[a-z0-9_]*[a-z0-9]\\b`, 'g');
  const problems = skills.flatMap(({ folder, tools: listed, files }) =>
    Object.entries(files).flatMap(([name, text]) =>
      [...(name === 'SKILL.md' ? listed : []), ...(text.match(named) ?? [])].flatMap((tool): Problem[] => {
        const before = text.slice(0, text.indexOf(tool)).split('\n');
        const position = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
        const message = messageFor(tool, { tools, listed });
        return message === null
          ? []
          : [{ code: 'skill-tool', file: `${folder}/${name}`, pointer: '', position, message }];
      }),
    ),
  );
  return {
    skills: Object.fromEntries(skills.map(({ folder: _, ...skill }) => [skill.frontmatter.name, skill])),
    problems: [...new Map(problems.map((one) => [`${one.file} ${one.message}`, one])).values()],
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
