/** Decides how the request body of an operation becomes arguments: member by member, or whole. */

import { canonicalJson } from '../../json.ts';
import type { MediaTypeModel, OperationModel, Schema } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import { isReadOnly, mergeAllOf } from '../schema/merge.ts';
import { propertyOf, requiredOf, schemaList, typesOf } from '../schema/readers.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences } from '../words/texts.ts';
import { toForms } from './choice-texts.ts';
import { type ChosenContent, chooseContent } from './content.ts';
import type { BodyContext, BodyPlan } from './context.ts';
import { toOneFile } from './files.ts';
import { planFormMembers, planWholeForm } from './form.ts';
import { isMediaRange, isMediaType } from './media-types.ts';
import { toMembers } from './members.ts';

/**
 * Plans the body of an operation. An object becomes one argument for each member if nothing is lost: it allows no
 * unnamed members, and its alternatives only say which members are required. Any other body is one argument.
 *
 * An optional body whose schema requires members becomes required: OpenAPI's default for
 * `requestBody.required` is false, and most descriptors that keep the default describe bodies that the upstream
 * requires.
 */
export function planBody(operation: OperationModel, context: BodyContext, report: Reporter): BodyPlan {
  const { body } = operation;
  if (body === null) return { kind: 'none' };
  if (operation.method === 'GET' || operation.method === 'HEAD') {
    if (body.required) return { kind: 'refused', reason: `needs a request body with ${operation.method}` };
    report.descriptor(
      'parameter-left-out',
      body.pointer,
      `The tool for ${operation.method} ${operation.path} sends no request body: ${operation.method} has none.`,
    );
    return { kind: 'none' };
  }
  const chosen = chooseContent(body, context);
  if (chosen === null) {
    const types = body.contents.map(({ mediaType }) => mediaType).join(', ');
    if (types === '') return { kind: 'refused', reason: 'needs a request body as an unnamed media type' };
    if (body.contents.every(({ mediaType }) => !isMediaType(mediaType))) {
      return { kind: 'refused', reason: `needs a request body as ${types}, which is no media type` };
    }
    return {
      kind: 'refused',
      reason: `needs a request body as ${types}; of the multipart types only multipart/form-data can be written`,
    };
  }
  warnOfOtherForms(operation, chosen.content, body.contents, report);
  const { kind } = chosen;
  if (kind === 'text' || kind === 'binary') return planContent(operation, chosen, context);
  const required = body.required || requiresMembers(chosen.content.schema ?? {}, context);
  return planObject(operation, { ...chosen, kind, required }, context, report);
}

/** A JSON, form or multipart body. */
function planObject(
  operation: OperationModel,
  {
    content,
    kind,
    required,
  }: ChosenContent & {
    readonly kind: 'json' | 'form' | 'multipart';
    readonly required: boolean;
  },
  context: BodyContext,
  report: Reporter,
): BodyPlan {
  const common = { mediaType: content.mediaType, required, pointer: content.pointer };
  const members = toMembers(content.schema ?? {}, context.resolve);
  if (members !== null) {
    const plan = kind === 'json' ? null : planFormMembers(kind, content, members, context);
    if (plan !== null && plan.refusals.length > 0) return refuse(plan.refusals);
    reportLeftOut(operation, content, plan?.leftOut ?? [], report);
    return {
      kind: 'members',
      ...common,
      form: plan?.form,
      choices: members.choices,
      members: plan?.members ?? members.members,
    };
  }
  const wholeForm = kind === 'json' ? null : planWholeForm(kind, content, context);
  if (wholeForm !== null && wholeForm.refusal !== null) return { kind: 'refused', reason: wholeForm.refusal };
  const schema = wholeForm?.schema ?? content.schema ?? {};
  const forms = toForms(schema, context.resolve);
  if (forms !== '') {
    report.descriptor(
      'body-ambiguous',
      content.pointer,
      `The request body of ${operation.method} ${operation.path} has several forms, and became one argument.`,
    );
  }
  const bodyText = bodyTextOf(operation, schema, context);
  return {
    kind: 'whole',
    ...common,
    form: wholeForm?.form,
    schema,
    description: forms === '' ? bodyText : joinSentences(bodyText, forms),
  };
}

const MAX_ALTERNATIVE_DEPTH = 4;

/** True if `{}` is not valid for the schema, because it or each of its alternatives requires a member that is sent. */
function requiresMembers(schema: Schema, context: BodyContext, depth = 0): boolean {
  const { schema: merged } = mergeAllOf(schema, context.resolve);
  const isSent = (name: string) => !isReadOnly(propertyOf(merged, name) ?? {}, context.resolve);
  const types = typesOf(merged);
  const isObject = types.length === 0 || types.includes('object');
  if (isObject && requiredOf(merged).some(isSent)) return true;
  if (depth === MAX_ALTERNATIVE_DEPTH) return false;
  return (['oneOf', 'anyOf'] as const).some((keyword) => {
    const variants = schemaList(merged, keyword);
    return variants.length > 0 && variants.every((variant) => requiresMembers(variant, context, depth + 1));
  });
}

/** A body that is one text, or bytes. */
function planContent(operation: OperationModel, { content, kind }: ChosenContent, context: BodyContext): BodyPlan {
  const { mediaType, pointer } = content;
  const bodyText = bodyTextOf(operation, content.schema ?? {}, context);
  const common = { kind: 'whole', mediaType, required: operation.body?.required === true, pointer } as const;
  if (kind === 'text') {
    const { schema: merged } = mergeAllOf(content.schema ?? {}, context.resolve);
    const isText = typesOf(merged).some((type) => type === 'string') && merged.format !== 'binary';
    const description = joinSentences(bodyText, `Sent as it is, as ${mediaType}.`);
    const schema = isText ? { ...merged, type: 'string', description } : { type: 'string', description };
    return { ...common, form: { kind: 'text' }, schema, description };
  }
  if (isMediaRange(mediaType)) {
    const schema = toOneFile(bodyText, [mediaType], false);
    const description = String(schema.description);
    return { ...common, form: { kind: 'file', accepted: [mediaType] }, schema, description };
  }
  const description = joinSentences(bodyText, `The content in base64; it is sent as ${mediaType}.`);
  const schema = { type: 'string', description, contentEncoding: 'base64' };
  return { ...common, form: { kind: 'bytes' }, schema, description };
}

function bodyTextOf({ body }: OperationModel, schema: Schema, { resolve }: BodyContext): string {
  return toPlainText(body?.description) || toPlainText(mergeAllOf(schema, resolve).schema.description);
}

function refuse(reasons: readonly string[]): BodyPlan {
  return { kind: 'refused', reason: `needs ${reasons.join(' and ')}` };
}

function reportLeftOut(
  { method, path }: OperationModel,
  { pointer }: MediaTypeModel,
  reasons: readonly string[],
  report: Reporter,
): void {
  for (const reason of reasons) {
    const message = `The tool for ${method} ${path} leaves out ${reason}.`;
    report.descriptor('parameter-left-out', pointer, message, 'Nothing, if callers can do without it.');
  }
}

function warnOfOtherForms(
  operation: OperationModel,
  chosen: MediaTypeModel,
  contents: readonly MediaTypeModel[],
  report: Reporter,
): void {
  const textOf = ({ schema }: MediaTypeModel) => canonicalJson(schema ?? {});
  const otherContents = contents.filter((content) => content !== chosen && textOf(content) !== textOf(chosen));
  if (otherContents.length === 0) return;
  const names = otherContents.map(({ mediaType }) => mediaType).join(', ');
  report.descriptor(
    'body-ambiguous',
    chosen.pointer,
    `${operation.method} ${operation.path} takes its body as ${chosen.mediaType} or as ${names} with another schema; the tool sends ${chosen.mediaType}.`,
  );
}
