/** Tells a model which tools take an answer further: the Link Objects of a response (OpenAPI 3.1 §4.8.20). */

import type { OperationModel } from '../../model/types.ts';
import { plainName } from '../answers/paging-names.ts';
import type { ToolModel } from '../types.ts';
import { joinSentences, MAX_TOOL_DESCRIPTION_CHARS, toShortText } from '../words/texts.ts';
import type { PlannedTool } from './exposure.ts';

interface Made {
  readonly planned: PlannedTool;
  readonly tool: ToolModel;
}

const MAX_LINKS = 3;

/** The tools with a sentence on the tools that their links lead to. Descriptions of connector.yaml stay as they are. */
export function withLinks(made: readonly Made[]): readonly Made[] {
  return made.map((one) => {
    if (one.planned.config?.description !== undefined) return one;
    const next = linksOf(one.planned.operation).flatMap(({ target, values }) => {
      const found = made.find(({ planned: { operation } }) => target === operation.id || target === operation.pointer);
      return found === undefined || found === one ? [] : [toNext(found.tool, values)];
    });
    if (next.length === 0) return one;
    const text = `Then: ${[...new Set(next)].slice(0, MAX_LINKS).join('; ')}.`;
    const { description } = one.tool;
    const short = toShortText(description, MAX_TOOL_DESCRIPTION_CHARS - text.length - 2);
    return { ...one, tool: { ...one.tool, description: joinSentences(short, text) } };
  });
}

function linksOf({ responses }: OperationModel) {
  return responses.flatMap(({ status, links = [] }) => (/^2/.test(status) ? links : []));
}

/** `users_get (username: owner.login)`, with the arguments that the answer has. */
function toNext({ name, arguments: args }: ToolModel, values: Readonly<Record<string, string>>): string {
  const given = Object.entries(values).flatMap(([parameter, pointer]) => {
    const argument = args.find((one) => plainName(one.name) === plainName(parameter.replace(/^\w+\./, '')));
    return argument === undefined ? [] : [`${argument.name}: ${pointer.slice(1).replaceAll('/', '.')}`];
  });
  return given.length === 0 ? name : `${name} (${given.join(', ')})`;
}
