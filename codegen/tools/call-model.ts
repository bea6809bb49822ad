/** The model of a call: the value at each place of a request, and how it is serialized. */

import type { CredentialMembers } from '../../server/contract/index.ts';
import type { ParameterLocation } from '../model/types.ts';

export type { CredentialMembers } from '../../server/contract/index.ts';

/** The place of an argument in a request. */
export type WirePlace =
  | { readonly in: ParameterLocation; readonly name: string }
  | { readonly in: 'body'; readonly mediaType: string; readonly name: string }
  /** The whole body. */
  | { readonly in: 'body'; readonly mediaType: string; readonly name: null };

/** The value at one place of a request. */
export type ValueExpression =
  /** `default` is sent if a call omits the argument. `credentials` overwrite members of the value. */
  | {
      readonly kind: 'argument';
      readonly name: string;
      readonly default?: unknown;
      readonly credentials?: CredentialMembers | undefined;
    }
  | { readonly kind: 'constant'; readonly value: unknown }
  /** A part of the credential, by its id. */
  | { readonly kind: 'credential'; readonly id: string }
  /** An object whose members are separate arguments: `filters[ticker]`, `filters[{column}]`. */
  | { readonly kind: 'entries'; readonly entries: readonly EntryExpression[] }
  /** An object in a JSON body with separately filled members; omitted if all are empty. */
  | { readonly kind: 'members'; readonly members: readonly Binding[] };

interface EntryExpression {
  /** A fixed key, or the argument that names the key at run time. */
  readonly key: { readonly constant: string } | { readonly argument: string };
  /** Name of the argument that provides the value. */
  readonly argument: string;
}

export interface Binding {
  readonly wireName: string;
  readonly value: ValueExpression;
}

/** The serialization of a parameter: by style, or as a document of a media type. */
export type ParameterStyle =
  | {
      readonly style: string;
      readonly explode: boolean;
      /** Query parameters only. */
      readonly allowReserved?: boolean;
    }
  /** `whole`: the parameter is the whole query, without a name. */
  | { readonly content: string; readonly whole?: true | undefined };

/** The serialization of a form member, if its Encoding Object has a style. */
export interface FormStyle {
  readonly style: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

/** The serialization of a part of a multipart body, if it is not the default of its type. */
export type PartEncoding = FormStyle | { readonly contentType: string };

/** A member that is a file, or an array of files. */
export interface FileRule {
  /** Media types and ranges, or none for any. */
  readonly accepted: readonly string[];
  readonly many: boolean;
}

/** The serialization of a body other than JSON. */
export type BodyForm =
  | { readonly kind: 'form'; readonly styles: Readonly<Record<string, FormStyle>> }
  | {
      readonly kind: 'multipart';
      readonly encodings: Readonly<Record<string, PartEncoding>>;
      readonly files: Readonly<Record<string, FileRule>>;
    }
  /** One string. */
  | { readonly kind: 'text' }
  /** One base64 string, sent as bytes. */
  | { readonly kind: 'bytes' }
  /** One file of an accepted media type. */
  | { readonly kind: 'file'; readonly accepted: readonly string[] };

/** The request of a tool: all parameters, by place, in the order of the descriptor. */
export interface CallModel {
  readonly path: readonly Binding[];
  readonly query: readonly Binding[];
  readonly header: readonly Binding[];
  readonly cookie: readonly Binding[];
  readonly body:
    | { readonly kind: 'none' }
    /** An object whose members are separate arguments or constants. */
    | {
        readonly kind: 'members';
        readonly mediaType: string;
        /** By default it is JSON. */
        readonly form?: BodyForm | undefined;
        readonly required: boolean;
        readonly members: readonly Binding[];
        /** The argument that names members to be sent as null. */
        readonly clear?: string | undefined;
      }
    /** The whole body is one argument. */
    | {
        readonly kind: 'whole';
        readonly mediaType: string;
        /** By default it is JSON. */
        readonly form?: BodyForm | undefined;
        readonly required: boolean;
        readonly value: ValueExpression;
      };
  /** By place and wire name, sorted; only for parameters that are not a single plain value. */
  readonly styles: Readonly<Record<ParameterLocation, Readonly<Record<string, ParameterStyle>>>>;
}
