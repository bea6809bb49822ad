/**
 * `TOOLS.md`: the page that a reviewer opens first. Every tool with its call and its risk. Few lines depend on several tools,
 * such as those of scopes and clients, so that branches which change different tools mostly merge without a conflict.
 */

import { firstSentence } from '../../shared/search/compact.ts';
import type { CredentialMembers, ValueExpression, WirePlace } from '../tools/call-model.ts';
import type { ClientVerdict, ConnectorModel, ToolModel } from '../tools/types.ts';
import { bodyFact, bodyNote } from './body/body-notes.ts';
import { handWrittenSections } from './hand-written/review.ts';
import { markdownCode, markdownTable, markdownText } from './markdown.ts';
import { toFileName } from './names.ts';
import { createMemberTypes } from './review/member-types.ts';
import { pagingWords } from './review/paging-words.ts';
import { oauthSections, scopesFact } from './review-oauth.ts';
import { effectOf, hintWords } from './review-words.ts';

export function emitReviewPage(header: string, connector: ConnectorModel): string {
  const sections = [
    `<!-- ${header.replaceAll('--', '- -')} -->`,
    `# ${markdownText(connector.title)}: tools`,
    ...legality(connector.clients),
    'read: changes nothing upstream. write: adds or changes. destroy: may overwrite or delete what was there.',
    ...overview(connector),
    ...handWrittenSections(connector.handWritten),
    ...oauthSections(connector),
    ...eventSections(connector),
    ...skills(connector),
    ...notExposed(connector),
    ...toolSections(connector.tools),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** One line: which clients accept all tools, and which rules the others refuse them by. */
function legality(clients: readonly ClientVerdict[]): string[] {
  if (clients.length === 0) return [];
  const legal = clients.filter(({ broken }) => broken.length === 0).map(({ title }) => title);
  const refusalsByText = Map.groupBy(
    clients.flatMap(({ broken }) => broken),
    ({ accepted }) => `refused by {rules}${accepted === null ? '' : `, accepted: ${markdownText(accepted)}`}`,
  );
  const clauses = [
    legal.length === 0 ? 'Legal for none of the known clients' : `Legal for ${toWordList(legal)}`,
    ...[...refusalsByText].map(([text, breaks]) =>
      text.replace('{rules}', () => toWordList(breaks.map(({ rule }) => markdownCode(rule)))),
    ),
  ];
  return [`${clauses.join('; ').replace(/\.$/, '')}.`];
}

function toWordList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function toolSections(tools: readonly ToolModel[]): string[] {
  return tools.length === 0 ? [] : ['## Tools one by one', ...tools.map(details)];
}

function overview({ tools }: ConnectorModel): string[] {
  if (tools.length === 0) return [];
  const rows = tools.map((tool) => [
    `[${markdownCode(tool.name)}](tools/${toFileName(tool.name)}.ts)`,
    markdownCode(callOf(tool)),
    effectOf(tool),
  ]);
  return [markdownTable(['Tool', 'Calls', 'Effect'], rows)];
}

function callOf({ mcp, operation }: ToolModel): string {
  return mcp === undefined ? `${operation.method} ${operation.path}` : `tools/call ${mcp.tool}`;
}

function skills({ skills: skillsByName }: ConnectorModel): string[] {
  const rows = Object.entries(skillsByName).map(([name, { frontmatter, tools }]) => [
    `[${markdownCode(name)}](skills.ts)`,
    markdownText(frontmatter.description),
    tools.map(markdownCode).join(', '),
  ]);
  return rows.length === 0 ? [] : ['## Skills', markdownTable(['Skill', 'For', 'Tools'], rows)];
}

function eventSections({ events }: ConnectorModel): string[] {
  if (events === null) return [];
  const { signature, types } = events;
  const signatureText =
    typeof signature === 'string' ? signature : `HMAC-SHA256 of ${signature.signed} in ${signature.header}`;
  const table = markdownTable(
    ['Event', 'With the tool', 'What it is', 'Filters', 'Withheld'],
    types.map((type) => [
      markdownCode(type.name),
      markdownCode(type.tool),
      markdownText(type.description),
      Object.keys(type.filters).map(markdownCode).join(', '),
      Object.keys(type.withhold ?? {})
        .map(markdownCode)
        .join(', '),
    ]),
  );
  return ['## Events', `Calls of the service are signed: ${markdownCode(signatureText)}.`, table];
}

const DECIDED_BY = {
  codegen: 'codegen (cannot express it yet)',
  'connector.yaml': 'connector.yaml',
  expose: 'connector.yaml, by `expose`',
} as const;

function notExposed({ notExposed: operations }: ConnectorModel): string[] {
  if (operations.length === 0) return [];
  const table = markdownTable(
    ['Operation', 'Why it has no tool', 'Decided by'],
    operations.map(({ method, path, reason, by }) => [
      markdownCode(`${method} ${path}`),
      markdownText(reason),
      DECIDED_BY[by],
    ]),
  );
  return ['## Not exposed', table];
}

function details(tool: ToolModel): string {
  const { description } = tool;
  return [
    `### ${markdownCode(tool.name)}`,
    `${markdownText(tool.title)} · ${markdownCode(callOf(tool))}`,
    description === '' ? undefined : markdownText(firstSentence(description)),
    [...riskFacts(tool), ...requestFacts(tool), ...answerFacts(tool)].map((fact) => `- ${fact}`).join('\n'),
    tool.arguments.length === 0 ? undefined : argumentTable(tool),
  ]
    .filter((section) => section !== undefined)
    .join('\n\n');
}

/** The effect of a tool, and what it needs before it runs. */
function riskFacts(tool: ToolModel): string[] {
  const { effect, approval, preview, wait, extra } = tool;
  const facts = [`Effect: ${effectOf(tool)}. ${hints(tool)}`, ...scopesFact(tool)];
  if (extra !== undefined) facts.push(`Needs in addition to the connection: ${extra}.`);
  facts.push(...sentCredentialFact(tool));
  if (effect !== undefined) facts.push(`It ${effect === 'send' ? 'sends something to people' : 'pays'}.`);
  if (approval !== undefined) facts.push('Every call needs the approval of its user.');
  if (preview !== undefined) facts.push(`Before an approval, ${markdownCode(preview.tool)} shows what it is about.`);
  if (wait !== undefined) facts.push(`It waits for the end of the work, as ${markdownCode(wait.tool)} tells it.`);
  return facts;
}

/** Facts about the requests of a tool in addition to its arguments. */
function requestFacts(tool: ToolModel): string[] {
  const { call, agreements, reservedSegments, idempotency } = tool;
  const facts = bodyFact(call);
  for (const { argument, template } of agreements) {
    facts.push(`${markdownCode(argument)} must equal ${markdownCode(template)}.`);
  }
  for (const [name, words] of Object.entries(reservedSegments)) {
    facts.push(`${markdownCode(name)} is never ${words.map(markdownCode).join(', ')}: other paths have that there.`);
  }
  for (const [wire, value] of constants(tool)) {
    facts.push(`Always sends ${markdownCode(wire)} = ${markdownCode(value)}.`);
  }
  facts.push(...credentialFact(tool));
  if (idempotency !== null) facts.push(`Sends ${idempotencyText(idempotency)}, which no argument sets.`);
  for (const [wire, value] of defaults(tool)) {
    facts.push(`Sends ${markdownCode(wire)} = ${markdownCode(value)} by default.`);
  }
  return facts;
}

/** Facts about pages, filters and answers that differ from the upstream's. */
function answerFacts(tool: ToolModel): string[] {
  const { page, result } = tool;
  const facts: string[] = [];
  if (page !== null) facts.push(`Pages: ${pagingWords(page)}`);
  facts.push(...filterFact(tool));
  if (result.keep !== undefined) {
    facts.push(`Returns of the answer only ${result.keep.map(markdownCode).join(', ')}.`);
  }
  for (const [path, mode] of Object.entries(result.withhold ?? {})) {
    facts.push(`Never returns ${markdownCode(path)}${mode === 'drop' ? '' : ': a text is in its place'}.`);
  }
  if (result.wrapItems) facts.push('The answer is an array, published as `items`.');
  if (result.rows !== null) {
    facts.push(`Rows in ${markdownCode(result.rows.rows)} become objects keyed by column.`);
  }
  return facts;
}

function filterFact({ filters = {} }: ToolModel): string[] {
  const words = Object.entries(filters).flatMap(([member, operators]) =>
    Object.entries(operators).map(([operator, name]) => `${markdownCode(member)} ${operator} by ${markdownCode(name)}`),
  );
  return words.length === 0 ? [] : [`The service filters itself: ${words.join(', ')}.`];
}

function argumentTable({ arguments: list, inputSchema, call, gatewayArguments = [] }: ToolModel): string {
  const typeOf = createMemberTypes(inputSchema);
  const isGatewayArgument = (name: string) => gatewayArguments.some((gatewayArgument) => gatewayArgument === name);
  return markdownTable(
    ['Argument', 'Type', 'Sent as', 'Description'],
    list.map(({ name, required, schema, wire }) => [
      markdownCode(name) + (required ? ' (required)' : ''),
      markdownCode(typeOf(schema)),
      isGatewayArgument(name) ? 'not sent: for the gateway' : describeDestination(name, wire, call),
      markdownText(firstSentence(typeof schema.description === 'string' ? schema.description : '')),
    ]),
  );
}

function describeDestination(name: string, wire: WirePlace | null, call: ToolModel['call']): string {
  if (wire !== null) {
    return markdownCode(wire.name === null ? wire.in : `${wire.in}.${wire.name}`) + bodyNote(call, wire);
  }
  if (call.body.kind === 'members' && call.body.clear === name) return 'null in the place of each';
  const addresses = bindingsOf(call).flatMap(([address, value]) => entryAddresses(address, value, name));
  return addresses.length === 0 ? 'not sent: only checked' : addresses.join(', ');
}

function entryAddresses(address: string, value: ValueExpression, name: string): string[] {
  if (value.kind !== 'entries') return [];
  return value.entries.flatMap(({ key, argument }) => {
    const entryAddress = `${address}[${'constant' in key ? key.constant : `{${key.argument}}`}]`;
    if ('argument' in key && key.argument === name) return [`the name in ${markdownCode(entryAddress)}`];
    return argument === name ? [markdownCode(entryAddress)] : [];
  });
}

function hints(tool: ToolModel): string {
  const { effectFrom, hintReason, overruled, operation, mcp } = tool;
  const words = hintWords(tool);
  if (effectFrom !== undefined) {
    const reason = hintReason === null ? '' : `; ${markdownText(hintReason)}`;
    const method = mcp === undefined ? `, not from ${operation.method}` : '';
    return `Hints: ${words}; inferred from ${markdownText(effectFrom)}${method}${reason}`;
  }
  if (hintReason === null) return `Hints: ${words}.`;
  const byDefault =
    mcp === undefined ? `differs from what ${operation.method} says by default` : 'as connector.yaml says';
  const decision = overruled === undefined ? byDefault : `overrules ${markdownText(overruled)}`;
  return `Hints: ${words}; ${decision}: ${markdownText(hintReason)}`;
}

function idempotencyText({ header, digits }: NonNullable<ToolModel['idempotency']>): string {
  return `an idempotency key in ${markdownCode(`header.${header}`)}, ${digits === null ? 'a UUID' : `${digits} hexadecimal digits`}`;
}

function constants({ call }: ToolModel): [address: string, value: string][] {
  return bindingsOf(call).flatMap(([address, value]): [string, string][] =>
    value.kind === 'constant' ? [[address, JSON.stringify(value.value)]] : [],
  );
}

function credentialFact({ call }: ToolModel): string[] {
  const addresses = bindingsOf(call).flatMap(([address, value]) => credentialAddresses(address, value));
  return addresses.length === 0 ? [] : [`Sends the credential as ${addresses.map(markdownCode).join(', ')}.`];
}

function credentialAddresses(address: string, value: ValueExpression): string[] {
  const collectAddresses = (prefix: string, members: CredentialMembers): string[] =>
    Object.entries(members).flatMap(([name, field]) =>
      typeof field === 'string' ? `${prefix}.${name}` : collectAddresses(`${prefix}.${name}`, field),
    );
  if (value.kind === 'credential') return [address];
  return value.kind === 'argument' ? collectAddresses(address, value.credentials ?? {}) : [];
}

/** Default values: what is sent if a call leaves the argument out. */
function defaults({ call }: ToolModel): [address: string, value: string][] {
  return bindingsOf(call).flatMap(([address, value]): [string, string][] =>
    value.kind === 'argument' && value.default !== undefined ? [[address, JSON.stringify(value.default)]] : [],
  );
}

/** Everything that the call sends, by address: `query.page_size`, `body.top_k`, `body`. */
function bindingsOf(call: ToolModel['call']): [address: string, value: ValueExpression][] {
  const { path, query, header, cookie, body } = call;
  const bindingsByLocation = { path, query, header, cookie, body: body.kind === 'members' ? body.members : [] };
  const leaves = Object.entries(bindingsByLocation).flatMap(([location, bindings]) =>
    bindings.flatMap(({ wireName, value }) => leavesOf(`${location}.${wireName}`, value)),
  );
  return body.kind === 'whole' ? [...leaves, ['body', body.value]] : leaves;
}

function leavesOf(address: string, value: ValueExpression): [address: string, value: ValueExpression][] {
  if (value.kind !== 'members') return [[address, value]];
  return value.members.flatMap((member) => leavesOf(`${address}.${member.wireName}`, member.value));
}

/** Returns the credential that the requests of a tool carry, if that is not all of the connection's credential. */
function sentCredentialFact({ credential }: ToolModel): string[] {
  if (credential === undefined) return [];
  if (credential.length === 0) return ['Sent without a credential.'];
  const alternatives = credential.map((ids) => ids.map(markdownCode).join(' and '));
  return [`Sent with no more of the credential than ${alternatives.join(', or ')}.`];
}
