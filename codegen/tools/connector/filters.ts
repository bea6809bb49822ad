/** The filters of a list that the service applies itself: members of its items by operator, and the arguments that do it. */

import { withoutFilters } from '../../../shared/withheld.ts';
import type { ToolConfig } from '../../load/connector-config.ts';
import type { Schema } from '../../model/types.ts';
import { plainName } from '../answers/paging-names.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { ArgumentModel, ToolModel } from '../types.ts';
import { type BaseTool, itemMembers } from './gateway-arguments.ts';

const TEXT_OPERATORS = ['contains', 'startsWith', 'endsWith'];
const SCALARS = ['string', 'integer', 'number', 'boolean'];

/** The parts of a tool that a rule can name. */
type FilteredTool = BaseTool & Pick<ToolModel, 'gatewayArguments'>;

/** Reports members that items do not have, and arguments that are missing or cannot say what the operator says. */
export function buildFilters(
  tool: FilteredTool,
  config: ToolConfig['filters'],
  report: Reporter,
): ToolModel['filters'] {
  if (config === undefined) return undefined;
  const refuse = (path: readonly string[], message: string, fix?: string) =>
    report.config('config-filter', ['tools', tool.name, 'filters', ...path], message, fix);
  if (tool.gatewayArguments?.includes('where') !== true) refuse([], `${tool.name} has no argument where.`);
  const isOwn = (name: string) => tool.gatewayArguments?.some((own) => own === name) === true;
  const filters = Object.entries(config).map(([member, given]) => {
    const operators = typeof given === 'string' ? { equals: given } : given;
    const problem = findUnknownMember(tool, member);
    if (!Object.hasOwn(withoutFilters(config, tool.result.withhold ?? {}), member)) {
      refuse([member], `${member} is withheld, and which items a filter finds would tell its value.`);
    }
    if (problem !== null) refuse([member], problem.message, problem.fix);
    for (const [operator, name] of Object.entries(operators)) {
      const argument = tool.arguments.find((one) => one.name === name && !isOwn(one.name));
      if (argument === undefined) {
        refuse(
          [member],
          `${tool.name} sends no argument ${name}.`,
          suggest(
            name,
            tool.arguments.map((one) => one.name),
            'It has none.',
          ),
        );
      } else if (!canSay(operator, argument)) {
        refuse([member], `The argument ${name} cannot be used for "${operator}". ${NEEDS}`);
      }
    }
    return [member, operators] as const;
  });
  return Object.fromEntries(filters);
}

const NEEDS =
  'A required argument cannot filter. "in" needs an array, "equals" one value, "contains", "startsWith" and "endsWith" a text; the others a number or a date-time, or a date, but not "after" and "more".';

/** Returns null if items have the member, or the schema does not list their members. */
export function findUnknownMember(tool: BaseTool, member: string) {
  const last = member.lastIndexOf('.');
  const listed = itemMembers(tool, member.slice(0, Math.max(0, last))).map(([name]) => name);
  const name = member.slice(last + 1);
  if (listed.length === 0 || listed.includes(name)) return null;
  return { message: `The items of ${tool.name} have no member ${member}.`, fix: suggest(name, listed, '') };
}

function canSay(operator: string, { schema, required }: ArgumentModel): boolean {
  const { format } = schema;
  if (required) return false;
  if (operator === 'in') return typesOf(schema).includes('array');
  if (operator === 'equals') return typesOf(schema).every((type) => SCALARS.includes(String(type)));
  if (TEXT_OPERATORS.includes(operator)) return typesOf(schema).includes('string');
  // A service may take "after" a date for after the whole day.
  if (format === 'date') return operator !== 'after' && operator !== 'more';
  return format === 'date-time' || typesOf(schema).some((type) => type === 'integer' || type === 'number');
}

function typesOf({ type }: Schema): readonly unknown[] {
  return Array.isArray(type) ? type.filter((one) => one !== 'null') : [type ?? 'string'];
}

/** Arguments named like a member of the items. They may filter by that member; the name alone proves nothing. */
export function proposeFilters(tool: ToolModel): [member: string, argument: string][] {
  const { page } = tool;
  const ofPages = [page?.argument, page?.size];
  return itemMembers(tool).flatMap(([member]) => {
    const argument = tool.arguments.find(({ name }) => plainName(name) === plainName(member));
    const isMeant = argument?.wire?.in === 'query' && canSay('equals', argument) && !ofPages.includes(argument.name);
    return isMeant ? [[member, argument.name]] : [];
  });
}
