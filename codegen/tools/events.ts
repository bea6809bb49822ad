/** The events of a service: what connector.yaml chooses of its webhooks and callbacks. */

import { mergeWithheld, withoutFilters, withoutWithheld } from '../../shared/withheld.ts';
import { withoutUndefined } from '../json.ts';
import type { EventsConfig } from '../load/config/events.ts';
import type { ConnectorConfig } from '../load/connector-config.ts';
import type { Schema, ServiceModel } from '../model/types.ts';
import { type AnswerSchemas, schemasAt } from './answers/answer-pointers.ts';
import { type Reporter, suggest } from './problems.ts';
import { buildOutputSchema } from './schema/output-schema.ts';
import { typesOf } from './schema/readers.ts';
import type { RefGraph } from './schema/refs.ts';
import type { ShapeReader } from './schema/relax.ts';
import type { ConnectorModel, EventType, ServiceEvents, ToolModel } from './types.ts';

interface Context {
  readonly model: ServiceModel;
  readonly config: ConnectorConfig;
  readonly tools: readonly ToolModel[];
  readonly graph: RefGraph;
  readonly read: ShapeReader;
  readonly report: Reporter;
}

type TypeConfig = EventsConfig['types'][string];

const SCALARS = ['string', 'integer', 'number', 'boolean'];

/** Reports webhooks, tools and members that are not there, and names that could be those of another service. */
export function buildEvents(context: Context): ConnectorModel['events'] {
  const { events } = context.config;
  if (events === undefined) return null;
  const { types, ...eventSettings } = events;
  const eventTypes = Object.entries(types).flatMap(
    ([name, type]) => buildType(name, type, eventSettings.data, context) ?? [],
  );
  return { ...eventSettings, types: eventTypes } as ServiceEvents;
}

function buildType(
  name: string,
  type: TypeConfig,
  data: string | undefined,
  { model, config, tools, graph, read, report }: Context,
): EventType | null {
  const refuse = (path: readonly string[], message: string, fix?: string) =>
    report.config('config-event', ['events', 'types', name, ...path], message, fix);
  const prefix = config.toolPrefix ?? model.name.replaceAll('-', '_');
  if (!/^[._]/.test(name.slice(prefix.length)) || !name.startsWith(prefix)) {
    refuse([], `${name} does not begin with ${prefix}.`);
  }
  const tool = tools.find((candidate) => candidate.name === type.tool);
  if (tool?.annotations.readOnlyHint !== true) {
    const names = tools.filter(({ annotations }) => annotations.readOnlyHint).map((candidate) => candidate.name);
    refuse(['tool'], `${type.tool} is no generated tool that only reads.`, suggest(type.tool, names, ''));
  }
  const body = model.eventOf(type.of);
  if (body === null) {
    const fix = suggest(type.of, model.eventNames(), 'It has neither.');
    refuse(['of'], `The descriptor has no webhook or callback ${type.of} with a JSON body.`, fix);
    return null;
  }
  const pointer = data === undefined ? '' : `/${data.replaceAll('.', '/')}`;
  const payloads: AnswerSchemas = {
    answers: schemasAt(pointer, { answers: [body], resolve: graph.resolve }),
    resolve: graph.resolve,
  };
  if (payloads.answers.length === 0) refuse([], `The body of ${type.of} has no ${data}.`);
  const output = buildOutputSchema(payloads.answers, graph, read, { rows: null, isPaged: false, detail: 'full' });
  const withheld = mergeWithheld(config.defaults.withhold ?? {}, type.withhold ?? {});
  const { schema, unknown } = withoutWithheld(output.schema, withheld);
  for (const path of Object.keys(type.withhold ?? {}).filter((withheldPath) => unknown.has(withheldPath))) {
    refuse(['withhold', path], `The payload of ${name} has no ${path}.`);
  }
  const allowedFilters = withoutFilters(type.filters, mergeWithheld(withheld, tool?.result.withhold ?? {}));
  const properties = Object.entries(type.filters).map(([member, argument]) => {
    const [memberType] = schemasAt(`/${member.replaceAll('.', '/')}`, payloads).flatMap((memberSchema) =>
      typesOf(memberSchema),
    );
    if (!Object.hasOwn(allowedFilters, member))
      refuse(['filters', member], `${member} is withheld: a filter would tell it.`);
    if (!SCALARS.includes(memberType ?? ''))
      refuse(['filters', member], `The payload of ${name} has no text, number or boolean ${member}.`);
    return [argument, { type: memberType, description: `Only events whose ${member} is this.` }] as const;
  });
  return withoutUndefined({
    name,
    description: type.description,
    value: type.value ?? type.of.replace(/^.*#/, ''),
    tool: type.tool,
    inputSchema: { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false },
    payloadSchema: schema as Schema & { type: 'object' },
    filters: type.filters,
    withhold: Object.keys(withheld).length === 0 ? undefined : withheld,
  });
}
