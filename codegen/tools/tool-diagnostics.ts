/** Diagnostics of the tools stage about finished tools, and about entries of connector.yaml that match no tool. */

import { toStem, toWords } from '../../shared/search/words.ts';
import type { ConnectorConfig } from '../load/connector-config.ts';
import type { ParameterModel } from '../model/types.ts';
import type { PlannedTool } from './connector/exposure.ts';
import { operationKey } from './connector/tool-names.ts';
import { type Reporter, suggest, toShortList } from './problems.ts';
import type { UsedDefaults } from './request/fixed-and-omitted.ts';
import type { SlotPlan } from './request/slots.ts';
import type { ToolModel } from './types.ts';

export function reportTexts(
  { name, operation, config }: PlannedTool,
  { hasText, undescribed }: { readonly hasText: boolean; readonly undescribed: readonly string[] },
  report: Reporter,
): void {
  if (config?.description === undefined && !hasText) {
    report.descriptor(
      'operation-undescribed',
      operation.pointer,
      `${operationKey(operation)} (${name}) has no summary and no description.`,
    );
  }
  if (undescribed.length > 0) {
    report.descriptor(
      'argument-undescribed',
      operation.pointer,
      `${name} does not describe ${toShortList(undescribed)}.`,
    );
  }
}

export function reportLeftOut({ name, config }: PlannedTool, request: SlotPlan, report: Reporter): void {
  const omitted = new Set(config?.omit ?? []);
  for (const { parameter, reason } of request.leftOut) {
    if (omitted.has(`${parameter.in}.${parameter.name}`)) continue;
    report.descriptor(
      'parameter-left-out',
      parameter.pointer,
      `${name} does not offer ${parameter.name}: it needs ${reason}.`,
    );
  }
}

/** Reports required headers whose value no caller decides. */
export function reportFilled({ name }: PlannedTool, request: SlotPlan, report: Reporter): void {
  for (const { parameter, sentAs } of request.filled) {
    const message = `${name} does not offer ${parameter.name}: it is sent as ${sentAs}.`;
    report.descriptor('parameter-filled', parameter.pointer, message);
  }
}

/** Reports values that no style covers: they are sent by a convention that the upstream may not share. */
export function reportWithoutForm(tool: string, parameters: readonly ParameterModel[], report: Reporter): void {
  for (const parameter of parameters) {
    const address = `${parameter.in}.${parameter.name}`;
    const form = parameter.style === 'deepObject' ? `as ${parameter.name}[a][b]=` : 'as JSON';
    report.descriptor('parameter-nested', parameter.pointer, `${tool} writes nested values of ${address} ${form}.`);
  }
}

export function checkDefaults({ defaults }: ConnectorConfig, usedDefaults: UsedDefaults, report: Reporter): void {
  const texts = {
    arguments: 'No tool has an argument',
    fixed: 'No tool sends',
    withhold: 'No answer has a member',
  } as const;
  for (const key of ['arguments', 'fixed', 'withhold'] as const) {
    for (const name of Object.keys(defaults[key] ?? {})) {
      if (!usedDefaults[key].has(name))
        report.config('config-unused', ['defaults', key, name], `${texts[key]} ${name}.`);
    }
  }
  for (const [index, text] of (defaults.omit ?? []).entries()) {
    if (!usedDefaults.omit.has(text))
      report.config('config-unused', ['defaults', 'omit', index], `No tool would send ${text}.`);
  }
}

export function checkServicePagination(
  { pagination }: ConnectorConfig,
  tools: readonly ToolModel[],
  report: Reporter,
): void {
  if (pagination === undefined || pagination === null) return;
  const names = new Set(tools.flatMap((tool) => tool.arguments.map(({ name }) => name)));
  if (names.has(pagination.argument)) return;
  report.config(
    'config-pagination',
    ['pagination', 'argument'],
    `No tool has an argument ${pagination.argument}.`,
    suggest(pagination.argument, names, 'Remove the rule.'),
  );
}

/** Rejects words that are in no tool's name or title: their synonyms would find nothing. */
export function buildSynonyms(
  { synonyms }: ConnectorConfig,
  tools: readonly Pick<ToolModel, 'name' | 'title'>[],
  report: Reporter,
): ConnectorConfig['synonyms'] {
  const heads = tools.map(({ name, title }) => new Set(toWords(`${name} ${title}`).map(toStem)));
  for (const word of Object.keys(synonyms)) {
    const stems = toWords(word).map(toStem);
    if (stems.length > 0 && heads.some((head) => stems.every((stem) => head.has(stem)))) continue;
    report.config('config-unused', ['synonyms', word], `No tool has ${JSON.stringify(word)} in its name or title.`);
  }
  return synonyms;
}
