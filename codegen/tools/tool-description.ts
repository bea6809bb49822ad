/** The description of a tool that connector.yaml does not describe. */

import type { OperationModel } from '../model/types.ts';
import { toChoiceText } from './body/choice-texts.ts';
import type { BodyPlan } from './body/context.ts';
import type { Assignment } from './request/assign.ts';
import type { ArgumentModel } from './types.ts';
import { MAX_TOOL_DESCRIPTION_CHARS, toShortText } from './words/texts.ts';
import { toBareDescription, toDefaultDescription } from './words/tool-texts.ts';

/** A text is not cut below this length to make room for the choices of a body; the choices are cut instead. */
const MIN_TEXT_CHARS = 120;

/** The text of an operation, and which members of its body exclude each other. */
export function toToolDescription(
  operation: OperationModel,
  body: BodyPlan,
  args: readonly ArgumentModel[],
  assignments: readonly Assignment[],
): string {
  const requiredNames = args.flatMap(({ name, required }) => (required ? [name] : []));
  const text = toDefaultDescription(operation) || toBareDescription(operation, requiredNames);
  const names = new Map(assignments.flatMap(({ name, slot }) => (slot?.in === 'body' ? [[slot.name, name]] : [])));
  const choice = toChoiceText(body, (member) => names.get(member));
  if (choice === '') return text;
  const maxTextChars = MAX_TOOL_DESCRIPTION_CHARS - choice.length - 2;
  const head = maxTextChars > MIN_TEXT_CHARS ? toShortText(text, maxTextChars) : text;
  return toShortText(`${head}\n\n${choice}`, MAX_TOOL_DESCRIPTION_CHARS);
}
