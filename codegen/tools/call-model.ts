/** The model of a call: what fills which place of a request, and how each is written. */

import type { ParameterPlace } from '../model/types.ts';

/** Where an argument goes. */
export type WirePlace =
  | { readonly in: ParameterPlace; readonly name: string }
  | { readonly in: 'body'; readonly mediaType: string; readonly name: string }
  /** The whole body. */
  | { readonly in: 'body'; readonly mediaType: string; readonly name: null };

/** What fills one place of a request. */
export type ValueExpression =
  /** `default` is sent where a call leaves the argument out. `credentials` are written over the members of its value. */
  | {
      readonly kind: 'argument';
      readonly name: string;
      readonly default?: unknown;
      readonly credentials?: CredentialMembers;
    }
  | { readonly kind: 'constant'; readonly value: unknown }
  /** A part of the credential, by its id. */
  | { readonly kind: 'credential'; readonly id: string }
  /** An object whose members are single arguments: `filters[ticker]`, `filters[{column}]`. */
  | { readonly kind: 'entries'; readonly entries: readonly EntryExpression[] }
  /** An object of a JSON body whose members are filled one by one; left out where nothing fills one. */
  | { readonly kind: 'members'; readonly members: readonly Binding[] };

/** By wire name: the id of the part that fills a member of an object, or an object of such members. */
export interface CredentialMembers {
  readonly [name: string]: string | CredentialMembers;
}

export interface EntryExpression {
  /** A fixed key, or the argument that names the key at run time. */
  readonly key: { readonly constant: string } | { readonly argument: string };
  /** Name of the argument that is its value. */
  readonly argument: string;
}

export interface Binding {
  readonly wireName: string;
  readonly value: ValueExpression;
}

/** How a parameter is written: by style, or as a document of a media type. */
export type ParameterStyle =
  | {
      readonly style: string;
      readonly explode: boolean;
      /** Query parameters only. */
      readonly allowReserved?: boolean;
    }
  /** `whole`: all of the query, without a name. */
  | { readonly content: string; readonly whole?: true };

/** How a member of a form is written, where its Encoding Object says it with a style. */
export interface FormStyle {
  readonly style: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

/** How a part of a multipart body is written, where that is not the default of its type. */
export type PartEncoding = FormStyle | { readonly contentType: string };

/** A member that is a file, or an array of files. */
export interface FileRule {
  /** Media types and ranges; empty: any. */
  readonly accepted: readonly string[];
  readonly many: boolean;
}

/** How a body that is not JSON is written. */
export type BodyForm =
  | { readonly kind: 'form'; readonly styles: Readonly<Record<string, FormStyle>> }
  | {
      readonly kind: 'multipart';
      readonly encodings: Readonly<Record<string, PartEncoding>>;
      readonly files: Readonly<Record<string, FileRule>>;
    }
  /** One text. */
  | { readonly kind: 'text' }
  /** One base64 text, sent as bytes. */
  | { readonly kind: 'bytes' }
  /** One file, whose media type is one of a range. */
  | { readonly kind: 'file'; readonly accepted: readonly string[] };

/** What a tool sends: every parameter, by place, in the order of the descriptor. */
export interface CallModel {
  readonly path: readonly Binding[];
  readonly query: readonly Binding[];
  readonly header: readonly Binding[];
  readonly cookie: readonly Binding[];
  readonly body:
    | { readonly kind: 'none' }
    /** One object whose members are single arguments or constants. */
    | {
        readonly kind: 'members';
        readonly mediaType: string;
        /** Missing: JSON. */
        readonly form?: BodyForm;
        readonly required: boolean;
        readonly members: readonly Binding[];
        /** The argument that names members to be sent as null. */
        readonly clear?: string;
      }
    /** One argument is the whole body. */
    | {
        readonly kind: 'whole';
        readonly mediaType: string;
        /** Missing: JSON. */
        readonly form?: BodyForm;
        readonly required: boolean;
        readonly value: ValueExpression;
      };
  /** By place and wire name, sorted; only parameters that are more than one plain value. */
  readonly styles: Readonly<Record<ParameterPlace, Readonly<Record<string, ParameterStyle>>>>;
}
