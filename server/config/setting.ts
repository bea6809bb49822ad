/** A setting is one row: the variable, how its text is read, its default, and its description. Core and modules have such rows. */

import { z } from 'zod';
import type { Connector } from '../contract/index.ts';

/** Headings of the page of settings, in order. */
export const GROUPS = [
  'Address',
  'Store and keys',
  'Clients and grants',
  'Tools and results',
  'Upstreams',
  'Limits',
  'Dashboard',
  'Records and logs',
  'Metrics, traces and logs',
  'Other modules',
  'Portal',
] as const;
export type Group = (typeof GROUPS)[number];

/** One setting. */
export interface Setting<Value = unknown> {
  /** The environment variable, such as `PUBLIC_URL`. */
  readonly variable: string;
  readonly group: Group;
  /** Reads the text. A message of its error follows the variable's name. */
  readonly read: z.ZodType<Value>;
  /** The value when the variable is not set. */
  readonly default: Value;
  /** The default as text. */
  readonly defaultText: string;
  /** The form of the text, in a few words. Numbers and choices describe themselves. */
  readonly type?: string;
  /** One or two sentences. */
  readonly meaning: string;
  /** A valid value, as it is written in a shell. */
  readonly example: string;
  /** The value may come from the file that `NAME_FILE` names, and is never a flag. */
  readonly secret?: true;
}

/** Settings by the name under which code reads them. */
export type Settings = Readonly<Record<string, Setting>>;

/** The values of settings, as read. */
export type ValuesOf<Rows extends Settings> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Setting<infer Value> ? Value : never;
};

/** One setting that cannot be used. */
export interface ConfigProblem {
  readonly variable: string;
  /** Continues the sentence that begins with the variable's name. */
  readonly problem: string;
  /** A valid value, as it is written in a shell. */
  readonly example: string;
}

/** The input of `configure`, which resolves settings that depend on others. */
export interface ConfigureContext {
  /** The gateway's origin. */
  readonly publicUrl: string;
  readonly connectors: readonly Connector[];
  /** True when the variable was set to a value that cannot be read, which is reported already. */
  isInvalid(variable: string): boolean;
  /** Reports a problem, to follow the variable's name. */
  onProblem(variable: string, problem: string): void;
}

/** The part of a module that `loadConfig` reads. */
export interface SettingsOwner {
  readonly name: string;
  readonly settings?: Settings;
  /** Resolves settings that depend on others. Default: the values as read. */
  readonly configure?: (values: never, context: ConfigureContext) => unknown;
}

/** A setting as its row is written. */
type Row<Value, Default> = Omit<Setting<Value>, 'default' | 'defaultText' | 'example' | 'read'> & {
  readonly read: z.ZodType<Value>;
  /** Default: null. */
  readonly default?: Default;
  /** Default: the value itself, `on` and `off` of a boolean, `none` of null and of an empty list. */
  readonly defaultText?: string;
  /** Default: the default. */
  readonly example?: string;
};

/** Declares a setting. */
export function setting<Value, const Default = null>(row: Row<Value, Default>): Setting<NoInfer<Value | Default>> {
  const value = row.default ?? null;
  const complete = { default: value, defaultText: textOf(value), example: String(value), ...row };
  return complete as unknown as Setting<NoInfer<Value | Default>>;
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === null || (Array.isArray(value) && value.length === 0) ? 'none' : String(value);
}

/** Declares settings of one group. */
export function settingIn(group: Group) {
  return <Value, const Default = null>(row: Omit<Row<Value, Default>, 'group'>) =>
    setting<Value, Default>({ group, ...row } as Row<Value, Default>);
}

/** `on` or `off`, as a boolean. */
export const ON_OFF = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((text) => text === 'on');

/**
 * Returns the form of a setting's text.
 *
 * @throws {Error} for a setting whose row does not say it.
 */
export function typeOf({ variable, type, read }: Setting): string {
  let schema: z.core.$ZodType = read;
  while (type === undefined) {
    const described = (schema as z.ZodType).meta()?.type;
    if (typeof described === 'string') return described;
    if (schema instanceof z.ZodEnum) return schema.options.join(', ');
    if (schema instanceof z.ZodLiteral) return [...schema.values].join(', ');
    if (!(schema instanceof z.ZodPipe)) throw new Error(`the setting ${variable} has no type`);
    schema = schema.in;
  }
  return type;
}
