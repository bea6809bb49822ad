/** The request of a tool: every value, by place, in the descriptor's order. */

import { byCodeUnit } from '../../json.ts';
import type { ParameterLocation } from '../../model/types.ts';
import type { BodyPlan } from '../body/context.ts';
import type {
  Binding,
  BodyForm,
  CallModel,
  CredentialMembers,
  ParameterStyle,
  ValueExpression,
} from '../call-model.ts';
import type { Resolve } from '../schema/readers.ts';
import type { Assignment } from './assign.ts';
import { withCredentialMembers } from './credential-places.ts';
import { styleOf } from './parameter-styles.ts';
import type { Slot } from './slots.ts';
import { wireKey } from './wire.ts';

/** The parts of a call. */
interface CallPlan {
  readonly slots: readonly Slot[];
  readonly body: BodyPlan;
  readonly assignments: readonly Assignment[];
  /** Fixed values by `wireKey`. */
  readonly constants: ReadonlyMap<string, unknown>;
  /** The argument that names members of the body to be sent as null, or null. */
  readonly clear: string | null;
  /** Places that the credential fills, by wire name. */
  readonly credentialFields: { readonly path: Readonly<Record<string, string>>; readonly body: CredentialMembers };
}

export function buildCall(plan: CallPlan, resolve: Resolve): CallModel {
  const { slots, assignments, constants, credentialFields } = plan;
  const bySlot = Map.groupBy(assignments, ({ slot }) => (slot === null ? '' : wireKey(slot)));
  const valueAt = (slot: Slot): ValueExpression | null => {
    const key = wireKey(slot);
    if (constants.has(key)) return { kind: 'constant', value: constants.get(key) };
    return toValue(bySlot.get(key) ?? []);
  };
  const bind = (place: Slot['in']): readonly Binding[] =>
    slots.flatMap((slot) => {
      const value = slot.in === place && slot.name !== null && slot.path === undefined ? valueAt(slot) : null;
      return value === null || slot.name === null ? [] : [{ wireName: slot.name, value }];
    });
  const bodyMembers = (): readonly Binding[] => {
    const order = [
      ...new Set(slots.flatMap(({ in: place, name, path }) => (place === 'body' ? [path?.[0] ?? name] : []))),
    ];
    const members = [...bind('body'), ...toNested(slots, 1, valueAt)];
    return members.sort((a, b) => order.indexOf(a.wireName) - order.indexOf(b.wireName));
  };
  const pathCredentials = Object.entries(credentialFields.path).map(
    ([wireName, id]): Binding => ({ wireName, value: { kind: 'credential', id } }),
  );
  const bindingsByPlace = {
    path: [...bind('path'), ...pathCredentials],
    query: bind('query'),
    header: bind('header'),
    cookie: bind('cookie'),
  };
  const styles = (place: ParameterLocation) => toStyles(slots, place, bindingsByPlace[place], resolve);
  return {
    ...bindingsByPlace,
    body: withCredentialMembers(toBody(plan, bodyMembers(), valueAt), credentialFields.body),
    styles: { path: styles('path'), query: styles('query'), header: styles('header'), cookie: styles('cookie') },
  };
}

/** Groups body members into the objects that are filled member by member. @param depth of the members */
function toNested(
  slots: readonly Slot[],
  depth: number,
  valueAt: (slot: Slot) => ValueExpression | null,
): readonly Binding[] {
  const slotsByMember = Map.groupBy(
    slots.filter(({ path }) => (path?.length ?? 0) >= depth),
    ({ path }) => path?.[depth - 1] ?? '',
  );
  return [...slotsByMember].flatMap(([wireName, memberSlots]): readonly Binding[] => {
    const [leaf] = memberSlots.filter(({ path }) => path?.length === depth);
    const members = leaf === undefined ? toNested(memberSlots, depth + 1, valueAt) : [];
    const value = leaf === undefined ? { kind: 'members' as const, members } : valueAt(leaf);
    return value === null || (leaf === undefined && members.length === 0) ? [] : [{ wireName, value }];
  });
}

function toValue(assignments: readonly Assignment[]): ValueExpression | null {
  const [first] = assignments;
  if (first === undefined) return null;
  if (first.key === null) {
    const { name, config } = first;
    return { kind: 'argument', name, default: config.sent === 'always' ? config.default : undefined };
  }
  return {
    kind: 'entries',
    entries: assignments.flatMap(({ name, key }) => (key === null ? [] : [{ key, argument: name }])),
  };
}

function toBody(
  { slots, body, clear }: CallPlan,
  members: readonly Binding[],
  valueAt: (slot: Slot) => ValueExpression | null,
): CallModel['body'] {
  if (body.kind !== 'members' && body.kind !== 'whole') return { kind: 'none' };
  const { mediaType, required } = body;
  if (body.kind === 'members') {
    const sentNames = new Set(members.map(({ wireName }) => wireName));
    const form = limitForm(body.form, (name) => sentNames.has(name));
    return { kind: 'members', mediaType, form, required, members, clear: clear ?? undefined };
  }
  const bodySlot = slots.find((slot) => slot.in === 'body' && slot.name === null);
  const value = bodySlot === undefined ? null : valueAt(bodySlot);
  if (value === null) return { kind: 'none' };
  return { kind: 'whole', mediaType, form: limitForm(body.form, () => true), required, value };
}

/** The form of a body, limited to the members that are sent. */
function limitForm(form: BodyForm | undefined, isSent: (name: string) => boolean): BodyForm | undefined {
  const onlySent = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([name]) => isSent(name))
        .sort(([a], [b]) => byCodeUnit(a, b)),
    );
  if (form?.kind === 'form') return { kind: 'form', styles: onlySent(form.styles) };
  if (form?.kind !== 'multipart') return form;
  return { kind: 'multipart', encodings: onlySent(form.encodings), files: onlySent(form.files) };
}

function toStyles(
  slots: readonly Slot[],
  place: ParameterLocation,
  bindings: readonly Binding[],
  resolve: Resolve,
): Readonly<Record<string, ParameterStyle>> {
  const sentNames = new Set(bindings.map(({ wireName }) => wireName));
  const styles = slots.flatMap(({ parameter }) => {
    if (parameter?.in !== place || !sentNames.has(parameter.name)) return [];
    const style = styleOf(parameter, resolve);
    return style === null ? [] : [[parameter.name, style] as const];
  });
  return Object.fromEntries(styles.sort(([a], [b]) => byCodeUnit(a, b)));
}
