/** The reference page of the rules of clients that codegen checks. */

import { PROFILES } from '../../codegen/tools/profiles/clients.ts';
import { ruleName } from '../../codegen/tools/profiles/index.ts';
import type { Limit, Profile } from '../../codegen/tools/profiles/types.ts';
import { READING_PROFILES } from '../../server/call/mcp/answer-content.ts';
import { code, table } from './markdown.ts';

const HEAD = `# Client profiles

What known clients accept, as codegen checks it ([what to do when a rule is broken](../guides/schemas-and-clients.md#client-profiles)). Figures come from the vendors' pages, or from threads
that quote a client's own error.
`;

/** Every rule by client, with the pages that document it. */
export function emitClientProfilesPage(): string {
  return [HEAD, ...PROFILES.map(sectionOf), readingSection()].join('\n');
}

const READING = `## What models read of an answer

A result can carry an answer as text and, the same again, as structured content. What a client gives its model of both decides what \`ANSWER_CONTENT=auto\` sends
to it. Without a listed output schema, as in lean lists, each of these gets text alone: every one reads it, nothing is read twice, and notes, images and files
are not lost. With one, structured content is required, and its text is left out only for clients that would read both. Clients that name no product below
get both. Seen with the [recorded](../guides/clients.md#recorded) versions and a model that wrote down what it was given.
`;

function readingSection(): string {
  const rows = Object.entries(READING_PROFILES).map(([product, { client, reads, source }]) => [
    client,
    code(`User-Agent: ${product}/...`),
    reads === 'both' ? 'both' : `${reads === 'text' ? 'the text' : 'the structured content'} alone`,
    `[${nameOf(source)}](${source})`,
  ]);
  return `${READING}\n${table(['Client', 'Known by', 'Gives its model', 'Source'], rows)}`;
}

function sectionOf(profile: Profile): string {
  const { title, rules, notDocumented } = profile;
  const rows = rules.map((rule) => [
    code(ruleName(profile, rule)),
    wordsOf(rule),
    rule.because,
    rule.sources.map((url) => `[${nameOf(url)}](${url})`).join(', '),
  ]);
  const section = `## ${title}\n\n${table(['Rule', 'Says', 'If broken', 'Sources'], rows)}`;
  if (notDocumented.length === 0) return section;
  return `${section}\nNot documented, so not checked: ${notDocumented.map((kind) => kind.replaceAll('-', ' ')).join(', ')}.\n`;
}

/** `owner/repository#12` of an issue or pull request of GitHub, else the host. */
function nameOf(url: string): string {
  const thread = /^https:\/\/github\.com\/[^/]+\/([^/]+)\/(?:issues|pull)\/(\d+)$/.exec(url);
  return thread === null ? new URL(url).host : `${thread[1]}#${thread[2]}`;
}

function wordsOf(limit: Limit): string {
  switch (limit.kind) {
    case 'name-pattern':
      return `the name matches ${code(limit.pattern.source)}`;
    case 'name-length':
      return `the name has at most ${limit.maximum} characters`;
    case 'description-length':
      return `the description has at most ${limit.maximum} characters`;
    case 'input-root-type':
      return 'the input schema is `type: object`';
    case 'output-root-type':
      return 'the output schema is `type: object`';
    case 'root-keywords':
      return `no ${limit.keywords.map(code).join(', ')} at the root`;
    case 'property-keys':
      return `argument names match ${code(limit.pattern.source)}`;
    case 'array-items':
      return 'every array has `items`';
    case 'boolean-schemas':
      return 'no property has `true` or `false` for a schema';
    case 'pattern-syntax':
      return 'no `pattern` looks ahead or behind';
  }
}
