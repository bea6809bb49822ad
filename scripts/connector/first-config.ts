/**
 * Creates the first `connector.yaml` of a service: what the descriptor shows, and a note for each decision that a person must make.
 */

import type { SelectionConfig } from '../../codegen/load/config/expose.ts';
import type { ServiceModel } from '../../codegen/model/types.ts';
import { isEnough } from '../../codegen/tools/connector/credential-kinds.ts';
import { operationKey } from '../../codegen/tools/connector/tool-names.ts';
import type { ConnectorModel, ToolModel } from '../../codegen/tools/types.ts';
import { toPlainText } from '../../codegen/tools/words/plain-text.ts';
import { firstSentence } from '../../shared/search/compact.ts';
import type { Assumptions } from './assumptions.ts';
import { writeCredential } from './first-credential.ts';
import { createDraft, type Decision, type Draft, toCount } from './proposals/draft.ts';
import { writeErrors } from './proposals/errors.ts';
import { nameOfService } from './proposals/labels.ts';
import { writePages } from './proposals/pages.ts';
import { writeTools, writeWords } from './proposals/tool-list.ts';
import { writeProof } from './proposals/verify.ts';
import { quoted } from './yaml.ts';

/** The data that the first connector.yaml is written from. */
export interface FirstConfigInput {
  /** Built with the assumptions and the selection. */
  readonly connector: ConnectorModel;
  readonly model: ServiceModel;
  readonly assumptions: Assumptions;
  /** By default every operation is included. */
  readonly selection?: SelectionConfig | undefined;
  /** Path of the JSON Schema of the file, relative to its folder, for editors. */
  readonly schema: string;
  /** The connector's tools that the first file lists. */
  readonly tools: readonly ToolModel[];
}

/**
 * Lists every tool by name, so that an operation that appears upstream later does not become a tool by itself, and a changed operationId
 * renames no tool.
 */
export function toFirstConfig({ connector, model, assumptions, selection, schema, tools }: FirstConfigInput): {
  readonly text: string;
  readonly decisions: readonly Decision[];
} {
  const draft = createDraft();
  draft.add(`# yaml-language-server: $schema=${schema}`);
  draft.say(
    'Every key: docs/reference/connector-yaml.md of the gateway. "Seen" names the source of a proposal in the descriptor.',
  );
  writeTitle(connector, model, draft);
  writeServers(assumptions, draft);
  writeCredential(connector, { model, tools }, assumptions, draft);
  const { alternatives = [], parts } = connector.credential;
  const kinds = [parts, ...alternatives.map((kind) => kind.parts)].map((all) => all.map(({ id }) => id));
  writeProof(
    tools,
    model,
    (operation) =>
      assumptions.parts !== null || kinds.every((ids) => operation !== undefined && isEnough(ids, operation.security)),
    draft,
  );
  // An MCP server has one form of errors.
  if (model.operations.every(({ mcp }) => mcp === undefined)) writeErrors(model, draft);
  writePages(tools, draft);
  writeConstants(assumptions, draft);
  writeWords(tools, assumptions.commonArguments.fixed.length > 0, draft);
  writeSelection(connector, selection, tools, draft);
  writeRefused(connector, draft);
  writeContradictions(assumptions, draft);
  writeTools(tools, model, draft);
  return { text: draft.toText(), decisions: draft.decisions };
}

const HEADING = /^ {0,3}#.*$|<(h[1-6])\b[^>]*>[^<]*<\/\1>/gim;

function writeTitle(connector: ConnectorModel, { description }: ServiceModel, draft: Draft): void {
  const { title } = connector;
  const name = nameOfService(connector);
  draft.decide(
    'title',
    `is this what people call the service${name === title ? '' : ` (the descriptor says ${JSON.stringify(title)})`}, and what does it do for them in one sentence?`,
  );
  draft.add(`title: ${quoted(name)}`);
  const sentence = firstSentence(toPlainText(description.replaceAll(HEADING, '')).replaceAll(/\s+/g, ' '));
  if (sentence !== '') draft.add(`description: ${quoted(sentence)}`);
  draft.decide('categories', 'under which labels is it listed? For instance: categories: [Productivity]');
  draft.add('');
}

function writeServers({ servers, userVariables }: Assumptions, draft: Draft): void {
  const questions = Object.entries(userVariables);
  if (questions.length > 0) {
    draft.decide(
      'serverVariables',
      'does each customer have a value of his own there? Each user is asked for it. Otherwise write `default` in place of `ask`, without a scheme.',
    );
    draft.add('serverVariables:');
    for (const [name, { label, pattern }] of questions) {
      const more = pattern === undefined ? '' : `, pattern: ${quoted(pattern)}`;
      draft.add(`  ${quoted(name)}: { ask: { label: ${quoted(label)}${more} } }`);
    }
  }
  const entries = Object.entries(servers);
  if (entries.length === 0) {
    if (questions.length > 0) draft.add('');
    return;
  }
  const hasEveryHost = entries.every(([, url]) => url !== null);
  draft.decide(
    'serverVariables',
    hasEveryHost
      ? 'the descriptor gives no host. Is the service where the descriptor was?'
      : 'the descriptor gives no host. Where is the service?',
  );
  if (hasEveryHost && questions.length === 0) draft.add('serverVariables:');
  for (const [name, url] of entries) {
    draft.add(
      url === null
        ? `# serverVariables: { ${quoted(name)}: { default: https://... } }`
        : `  ${quoted(name)}: { default: ${quoted(url)} }`,
    );
  }
  draft.add('');
}

function writeConstants({ commonArguments: { fixed } }: Assumptions, draft: Draft): void {
  if (fixed.length === 0) return;
  draft.decide('defaults.fixed', 'are these the same for every call? Tools then do not have them as arguments.');
  draft.add('defaults:', '  fixed:');
  for (const { value, count, total } of fixed) {
    draft.add(`    ${quoted(value[0])}: ${JSON.stringify(value[1])} # seen on ${count} of ${toCount(total, 'tool')}`);
  }
  draft.add('');
}

function writeSelection(
  { tools: all }: ConnectorModel,
  selection: SelectionConfig | undefined,
  tools: readonly ToolModel[],
  draft: Draft,
): void {
  const omittedCount = all.length - tools.length;
  if (omittedCount > 0) {
    draft.decide(
      'expose',
      `${omittedCount} more operations match, but exceed --max-tools. List those that agents need, and narrow \`expose\` to what the connector is about.`,
    );
  }
  if (selection === undefined) {
    draft.say('New operations become tools only when they are listed.');
    draft.add('expose: listed', '');
    return;
  }
  const { operations, tags, readOnly } = selection;
  draft.say(
    'The operations that this connector is about. Others do not become tools, and raise no questions. New operations that match become tools only when they are listed.',
  );
  draft.add('expose:', '  listed: true');
  if (operations !== undefined)
    draft.add(`  operations: [${operations.map((operation) => JSON.stringify(operation)).join(', ')}]`);
  if (tags !== undefined) draft.add(`  tags: [${tags.map(quoted).join(', ')}]`);
  if (readOnly !== undefined) draft.add('  readOnly: true');
  draft.add('');
}

function writeContradictions({ contradictedClaims }: Assumptions, draft: Draft): void {
  for (const message of contradictedClaims) {
    draft.decide('tools', `${message} Find out which it is, and set hints with a reason.`);
  }
}

function writeRefused({ notExposed }: ConnectorModel, draft: Draft): void {
  const refused = notExposed.filter(({ by }) => by === 'codegen');
  if (refused.length === 0) return;
  draft.say(`Refused by codegen: ${toCount(refused.length, 'operation')}, each with its reason.`);
  draft.add('notExposed:');
  for (const operation of refused) draft.add(`  ${quoted(operationKey(operation))}: ${quoted(operation.reason)}`);
  draft.add('');
}
