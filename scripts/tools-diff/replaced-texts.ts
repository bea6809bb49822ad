/** Finds what texts and limits of `connector.yaml` and of the overlay replace in a descriptor, with both versions. */

import { isRecord } from '../../codegen/json.ts';
import type { ConnectorConfig } from '../../codegen/load/connector-config.ts';
import type { OperationModel, Schema, ServiceModel } from '../../codegen/model/types.ts';
import type { ReplacedTexts } from '../../codegen/report/index.ts';
import type { ToolModel } from '../../codegen/tools/types.ts';

type Arguments = NonNullable<ConnectorConfig['defaults']['arguments']>;

/** The same decisions without any text, value or limit of ours: only where arguments travel, and which there are. */
export function withoutTexts(config: ConnectorConfig): ConnectorConfig {
  const { tools, defaults, ...decisions } = config;
  return {
    ...decisions,
    defaults: { ...defaults, arguments: withoutOverrides(defaults.arguments) },
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, { title: _title, description: _description, ...tool }]) => [
        name,
        { ...tool, arguments: withoutOverrides(tool.arguments) },
      ]),
    ),
  };
}

function withoutOverrides(overrides: Arguments = {}): Arguments {
  return Object.fromEntries(
    Object.entries(overrides).map(([name, { wire, sent, mustEqual, required, default: value }]) => [
      name,
      { wire, sent, mustEqual, required, default: sent === 'always' ? value : undefined },
    ]),
  );
}

/**
 * Our version and the upstream's of all that connector.yaml can replace in a tool, by place, such as `description` and
 * `input.limit#maximum`.
 *
 * @param theirs the tool without any text of ours
 */
export function replacedByTool(ours: ToolModel, theirs: ToolModel, operation: OperationModel): ReplacedTexts {
  const replaced: Record<string, ReplacedTexts[string]> = {};
  const whole = { title: operation.summary, description: operation.description || operation.summary };
  for (const place of ['title', 'description'] as const) {
    const isReplaced = ours[place] !== theirs[place];
    replaced[place] = { ours: ours[place], upstream: isReplaced ? whole[place] : ours[place] };
  }
  if (operation.description === '') delete replaced.title;
  for (const root of ['input', 'output'] as const) {
    const [ourLeaves, theirLeaves] = [leavesOf(ours[`${root}Schema`], root), leavesOf(theirs[`${root}Schema`], root)];
    for (const place of new Set([...ourLeaves.keys(), ...theirLeaves.keys()]))
      replaced[place] = { ours: ourLeaves.get(place), upstream: theirLeaves.get(place) };
  }
  return replaced;
}

/** Texts of connector.yaml about the service itself that replace those of the descriptor. */
export function replacedByService(model: ServiceModel, config: ConnectorConfig): ReplacedTexts {
  const { labels = {}, help, url } = config.credential;
  const replaced: [place: string, ours: unknown, upstream: unknown][] = [
    ['title', config.title, model.title],
    ['description', config.description, model.description],
    ...model.servers
      .flatMap(({ variables }) => variables)
      .map(({ name, default: address }): [string, unknown, unknown] => [
        `servers.${name}.default`,
        config.serverVariables[name]?.default,
        address,
      ]),
    ...model.securitySchemes.map(({ id, description }): [string, unknown, unknown] => [
      `credential.${id}`,
      labels[id] ?? help ?? url,
      description,
    ]),
  ];
  return Object.fromEntries(
    replaced.flatMap(([place, ours, upstream]) => (ours === undefined ? [] : [[place, { ours, upstream }]])),
  );
}

/** Keywords whose members are names. */
const NAMING = new Set(['properties', '$defs', 'patternProperties']);

/** Every keyword that holds no schema, by place. */
function leavesOf(schema: Schema, place: string): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const walk = (value: Readonly<Record<string, unknown>>, at: string): void => {
    for (const [keyword, inner] of Object.entries(value)) {
      if (isRecord(inner) && NAMING.has(keyword)) {
        for (const [name, member] of Object.entries(inner)) if (isRecord(member)) walk(member, `${at}.${name}`);
      } else if (isRecord(inner)) walk(inner, keyword === 'items' ? `${at}[]` : `${at}#${keyword}`);
      else if (Array.isArray(inner) && inner.some(isRecord)) {
        for (const [index, part] of inner.entries()) if (isRecord(part)) walk(part, `${at}#${keyword}[${index}]`);
      } else leaves.set(`${at}#${keyword}`, inner);
    }
  };
  walk(schema, place);
  return leaves;
}
