/** `/tools/{service}/{tool}`: the arguments, effect and result of one tool, with an example call. */

import { type Fact, facts } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Page } from '../../../base/pages/page.ts';
import { exampleArguments } from '../../../call/tools/call/argument-rules.ts';
import type { CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import { type Effect, effectOf } from '../../../call/tools/catalogue/facts.ts';
import { type AnyTool, isHandWritten, usedTools } from '../../../call/tools/catalogue/permitted.ts';
import { toPublished } from '../../../call/tools/catalogue/published.ts';
import { effectBadge } from '../../../call/tools/catalogue/tool-item.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { servicePath, TRAIL, toToolsLayout } from './parts.ts';
import { limitsOf, type Member, membersOf, typeOf } from './schema-words.ts';

/** Members that are shown of an argument that is an object; the schema below shows the rest. */
const MAX_INNER_MEMBERS = 40;
const MAX_RETURNED = 40;
const MAX_NAMED = 12;
const MAX_JSON_CHARACTERS = 60_000;

const EFFECTS: Readonly<Record<Effect, string>> = {
  reads: 'Reads: changes nothing at the service.',
  writes: 'Writes: adds or changes data at the service.',
  destroys: 'Deletes or overwrites: removes or replaces data at the service.',
};

/** Returns the page. @param tryPath where operators can try the tool. Null if the dashboard is not part of this site. */
export function toolPage(entry: CatalogueEntry, tryPath: string | null): Page {
  const { connector, tool } = entry;
  const call = { name: tool.name, arguments: exampleArguments(tool) };
  const content = html`<h1><code>${tool.name}</code></h1>
<p>${tool.title} ${effectBadge(tool)}</p>
<p class="text">${tool.description}</p>
${facts(factsOf(entry))}
<h2>Arguments</h2>
${argumentList(tool.inputSchema, membersOf(tool.inputSchema, tool.inputSchema))}
<h2>Example call</h2>
<p class="quiet">As a client sends it to the MCP address.</p>
${json('Example call', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })}
${tryPath === null ? null : html`<p><a class="try" href="${tryPath}">Try it in the dashboard</a> <span class="quiet">For operators. The example is filled in.</span></p>`}
<h2>What it returns</h2>
${outputSection(tool)}
<details><summary>The tool as clients are given it</summary>
${json('The tool', toPublished(tool))}</details>`;
  const trail = [...TRAIL, { name: connector.title, path: servicePath(connector.name) }];
  return { title: tool.name, content, layout: toToolsLayout(trail) };
}

function factsOf({ connector, tool }: CatalogueEntry): readonly Fact[] {
  const { readOnlyHint, idempotentHint } = tool.annotations;
  const requests = usedTools(connector, tool).map(({ operation }) => `${operation.method} ${operation.path}`);
  const hints = Object.entries(tool.annotations).map(([name, value]) => `${name}: ${value}`);
  const isRepeatable = !readOnlyHint && idempotentHint;
  const list: Fact[] = [
    {
      term: 'Effect',
      value: `${EFFECTS[effectOf(tool)]}${isRepeatable ? ' Calling it again with the same arguments changes nothing more.' : ''}`,
      remark: hints.join(', '),
    },
    { term: 'Scope that a client needs', value: html`<code>${readOnlyHint ? 'tools:read' : 'tools:write'}</code>` },
  ];
  const { scopes = [] } = tool;
  if (scopes.length > 0) {
    const alternatives = scopes.map((names) => names.join(' ')).join(', or ');
    list.push({ term: `OAuth scopes at ${connector.title}`, value: html`<code>${alternatives}</code>` });
  }
  list.push({
    term: `${isHandWritten(tool) ? 'Requests that it may send' : 'Request that it sends'} to ${connector.title}`,
    value: requests.map((request, index) => html`${index > 0 ? ', ' : ''}<code>${request}</code>`),
  });
  for (const { name, until } of tool.aliases ?? []) {
    list.push({ term: 'Old name', value: html`<code>${name}</code>`, remark: `Works until ${until}.` });
  }
  return list;
}

function argumentList(root: JsonSchema, members: readonly Member[]): Html {
  if (members.length === 0) return html`<p>It takes no arguments.</p>`;
  return html`<dl class="arguments">${members.map((member) => argument(root, member, true))}</dl>`;
}

function argument(root: JsonSchema, { name, schema, isRequired }: Member, isOuter: boolean): Html {
  const limits = limitsOf(schema);
  const inner = isOuter ? membersOf(root, schema) : [];
  const rest = inner.length - MAX_INNER_MEMBERS;
  const description = typeof schema.description === 'string' ? schema.description : null;
  const limitsText = limits.length === 0 ? null : html`<small>${limits.join(' · ')}</small>`;
  return html`<div><dt><code>${name}</code> <span>${typeOf(root, schema)}${isRequired ? ', required' : null}</span></dt>
<dd>${description}${limitsText}${
    inner.length === 0
      ? null
      : html`<details><summary>Members of <code>${name}</code></summary><dl>${inner.slice(0, MAX_INNER_MEMBERS).map((member) => argument(root, member, false))}</dl>
${rest > 0 ? html`<p class="quiet">And ${rest} more: see the tool as clients are given it.</p>` : null}</details>`
  }</dd></div>`;
}

/** Lists the members of the structured content and their members, by name. */
function outputSection({ outputSchema }: AnyTool): Html {
  const members = membersOf(outputSchema, outputSchema);
  if (members.length === 0) return html`<p>An object, as the service answers it.</p>`;
  const rest = members.length - MAX_RETURNED;
  return html`<p>An object with these members${rest > 0 ? `, and ${rest} more` : ''}:</p>
<ul>${members.slice(0, MAX_RETURNED).map(({ name, schema }) => {
    const inner = membersOf(outputSchema, schema).map((member) => member.name);
    const listedNames = inner.length > MAX_NAMED ? [...inner.slice(0, MAX_NAMED), '…'] : inner;
    const type = typeOf(outputSchema, schema);
    const typeText = type === 'any' ? null : type;
    const memberText = listedNames.length === 0 ? null : ` with ${listedNames.join(', ')}`;
    return html`<li><code>${name}</code> <span class="quiet">${typeText}${memberText}</span></li>`;
  })}</ul>`;
}

function json(label: string, value: object): Html {
  const text = JSON.stringify(value, null, 2);
  const rest = text.length - MAX_JSON_CHARACTERS;
  return html`<pre tabindex="0" role="group" aria-label="${label}">${rest > 0 ? `${text.slice(0, MAX_JSON_CHARACTERS)}\n… and ${rest} characters more` : text}</pre>`;
}
