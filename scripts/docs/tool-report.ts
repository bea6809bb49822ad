/** The reference page of the tool report's rules. */

import { LEVEL_TITLES } from '../../codegen/report/format/words.ts';
import { isGated, LEVEL_TEXTS, LEVELS } from '../../codegen/report/levels.ts';
import { RULES } from '../../codegen/report/rules.ts';
import { code, table } from './markdown.ts';

const HEAD = `# Rules of the tool report

\`npm run tools:diff\` says what a change of \`generated/\` means for agents ([reviewing tool changes](../guides/reviewing-tool-changes.md)). Each change falls under one rule. A rule whose level
must be acknowledged stops the pull request until \`acknowledged\` in \`connector.yaml\` says why the change is right.
`;

/** Every rule by level, from the most severe to the least. */
export function emitToolReportPage(): string {
  const levels = LEVELS.map((level) => {
    const { meaning, toDo } = LEVEL_TEXTS[level];
    const title = LEVEL_TITLES[level];
    return [`[${title}](#${title.toLowerCase()})`, meaning, isGated(level) ? 'yes' : 'no', toDo];
  });
  const sections = LEVELS.map((level) => {
    const rules = Object.entries(RULES).filter(([, rule]) => rule.level === level);
    const rows = rules.map(([id, { title, why }]) => [code(id), title, why]);
    return `## ${LEVEL_TITLES[level]}\n\n${table(['Rule', 'What changed', 'Why it matters'], rows)}`;
  });
  return [HEAD, table(['Level', 'Meaning', 'Acknowledge', 'To do'], levels), ...sections].join('\n');
}
