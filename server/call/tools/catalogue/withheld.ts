/**
 * The members that the operator withholds from answers (`WITHHOLD`), in addition to those of connectors: the rules, and the connectors that follow
 * them.
 */

import { z } from 'zod';
import {
  findWithheldPaging,
  mergeWithheld,
  WITHHELD_PATH,
  type WithheldMembers,
  withoutFilters,
  withoutWithheld,
} from '../../../../shared/withheld.ts';
import type { Connector, ObjectSchema, Tool } from '../../../contract/index.ts';
import { parseJson } from '../json.ts';
import { findNearest } from '../nearest.ts';

const RULES = z.array(
  z.strictObject({
    service: z.string(),
    tool: z.string().optional(),
    members: z.record(
      z.string().regex(WITHHELD_PATH, 'must be dotted names of members, such as data.owner.name or **.name'),
      z.enum(['drop', 'replace']),
    ),
    partner: z.string().optional(),
    client: z.string().optional(),
  }),
);

/**
 * One rule: members of the answers of a service or of one of its tools. It holds for everyone, or only for the users of a partner
 * (`client_id`), or only for the grants of an OAuth client (`client_id`).
 */
export type WithholdRule = Readonly<z.output<typeof RULES>[number]>;

/** @throws {Error} whose message follows the name of the setting. */
export function parseWithhold(text: string): readonly WithholdRule[] {
  const parsed = RULES.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [{ path, message } = { path: [], message: '' }] = parsed.error.issues;
  throw new Error(`must be a JSON list of rules: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`);
}

/**
 * Finds names in rules that the connectors do not have, and withheld members that the paging of a list needs. Each text follows the name of the
 * setting.
 */
export function findWithholdProblems(rules: readonly WithholdRule[], connectors: readonly Connector[]): string[] {
  return rules.flatMap(({ service, tool = '*', members }) => {
    const serviceTools = connectors.filter(({ name }) => name === service).flatMap(({ tools }) => tools);
    const tools = serviceTools.filter(({ name }) => tool === '*' || name === tool);
    if (tools.length === 0) return [`names ${service} ${tool}, which is no generated tool of a service`];
    const unknownByTool = tools.map(({ outputSchema }) => withoutWithheld(outputSchema, members).unknown);
    const unknownPaths = Object.keys(members).filter((path) => unknownByTool.every((paths) => paths.has(path)));
    const brokenLists = tools.filter(({ page }) => findWithheldPaging(page, members) !== undefined);
    return [
      ...brokenLists.map(({ name }) => `withholds what says how the list of ${name} goes on`),
      ...unknownPaths.map((path) => {
        const candidates = unknownByTool.flatMap((paths) => paths.get(path) ?? []);
        const suggestion = findNearest(path, candidates).map((near) => ` (did you mean ${near}?)`);
        return `names ${path}, which no answer of ${service} ${tool} has${suggestion}`;
      }),
    ];
  });
}

/** The connectors as these rules leave them; the same objects where no rule is about them. */
export function withRules(connectors: readonly Connector[], rules: readonly WithholdRule[]): readonly Connector[] {
  return connectors.map((connector) => {
    const serviceRules = rules.filter(({ service }) => service === connector.name);
    return serviceRules.length === 0
      ? connector
      : { ...connector, tools: connector.tools.map((tool) => withRulesApplied(tool, serviceRules)) };
  });
}

function withRulesApplied(tool: Tool, rules: readonly WithholdRule[]): Tool {
  const members = rules
    .filter((rule) => rule.tool === undefined || rule.tool === tool.name)
    .reduce<WithheldMembers>((sum, rule) => mergeWithheld(sum, rule.members), {});
  if (Object.keys(members).length === 0) return tool;
  const { schema } = withoutWithheld<ObjectSchema>(tool.outputSchema, members);
  const withhold = mergeWithheld(tool.result?.withhold ?? {}, members);
  const filters = tool.filters && { filters: withoutFilters(tool.filters, members) };
  return { ...tool, ...filters, outputSchema: schema, result: { ...tool.result, withhold } };
}

/** True if a rule holds only for some callers. */
export function isScoped({ partner, client }: WithholdRule): boolean {
  return partner !== undefined || client !== undefined;
}
