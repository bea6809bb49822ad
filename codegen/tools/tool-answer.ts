/** The answer of a tool: its schema, how its pages follow each other, and which members it keeps and withholds. */

import { keepMembers } from './answers/keep.ts';
import { buildPage } from './answers/paging.ts';
import { withholdMembers } from './answers/withhold.ts';
import { answerSchemas, buildRows, mayBeEmpty } from './connector/answers.ts';
import type { PlannedTool } from './connector/exposure.ts';
import { buildOutputSchema, type OutputDetail } from './schema/output-schema.ts';
import type { SchemaFit } from './size-limits/index.ts';
import { SMALL_SHARED_CHARS, shareParts } from './size-limits/share.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolModel } from './types.ts';

export type ToolAnswer = Pick<ToolModel, 'outputSchema' | 'page' | 'result' | 'answersJson'>;

/** @param request the arguments of the tool, and its hints. */
export function buildAnswer(
  { name, operation, config }: PlannedTool,
  request: Pick<ToolModel, 'arguments' | 'annotations'>,
  context: ToolContext,
): ToolAnswer {
  const { graph, report, read } = context;
  const schemas = answerSchemas(operation, graph.resolve);
  const answers = { tool: name, config, answers: schemas, resolve: graph.resolve, report };
  const page = buildPage(context.config.pagination, { ...answers, operation, arguments: request.arguments });
  const rows = buildRows(answers);
  const keptSchemas = keepMembers({ tool: name, keep: config?.keep, answers: schemas, page, read, report });
  const output = buildOutputSchema(keptSchemas, graph, read, {
    rows: rows?.rows ?? null,
    isPaged: page !== null,
    // The answer of a tool that waits is that of another one.
    detail: config?.wait === undefined ? toOutputDetail(context.fit, context.config.outputSchemas) : 'none',
  });
  const rules = { toolRules: config?.withhold, serviceRules: context.config.defaults.withhold };
  const { schema, withhold } = withholdMembers(output.schema, { name, page, ...request }, rules, context);
  return {
    outputSchema: context.fit === 'draft' ? schema : shareParts(schema, SMALL_SHARED_CHARS),
    page,
    result: {
      wrapItems: output.wrapItems,
      rows,
      mayBeEmpty: mayBeEmpty(operation, graph.resolve),
      keep: config?.keep,
      withhold,
    },
    // A schema without members does not tell JSON from a web page.
    answersJson: output.hidesMembers || undefined,
  };
}

function toOutputDetail(fit: SchemaFit, configured: Exclude<OutputDetail, 'whole'>): OutputDetail {
  if (fit === 'draft') return 'brief';
  return fit === 'whole' && configured !== 'none' ? 'whole' : configured;
}
