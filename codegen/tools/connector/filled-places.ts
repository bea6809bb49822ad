/** The places of requests that the credential fills: callers are not asked for them. */

import type { ParameterLocation, ParameterModel } from '../../model/types.ts';
import type { BodyPart } from '../request/credential-places.ts';
import type { CredentialPart } from '../types.ts';
import { partOf, placeOf, type SchemeParts } from './credential-parts.ts';

/** The places in requests that carry the credential. */
export interface CredentialPlaces {
  /** True for a parameter that the credential fills, and for an optional one of an unused credential. */
  isCredential(parameter: ParameterModel): boolean;
  /** Names of the parameters of a place that carry a credential, used or not. */
  namesIn(place: ParameterLocation): readonly string[];
  /** Returns the id of the part that a path parameter carries. Undefined if it carries no part. */
  idInPath(name: string): string | undefined;
  /** The parts that members of bodies carry. */
  readonly inBody: readonly BodyPart[];
  /** Members of bodies that only repeat the credential. */
  readonly repeatedInBody: readonly string[];
}

/** The parameters and members of bodies that the credential fills, and those that only repeat it. */
export function findFilledPlaces(
  parts: readonly CredentialPart[],
  schemes: SchemeParts,
  repeated: readonly string[],
): CredentialPlaces {
  const filledPlaces = toFilledPlaces(parts, repeated);
  const secretPlaces = new Set([...schemes.keys()].flatMap((id) => partOf(schemes, id) ?? []).map(placeOf));
  return {
    isCredential: ({ in: place, name, required }) => {
      const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
      return filledPlaces.has(key) || (secretPlaces.has(key) && !required);
    },
    namesIn: (place) =>
      [...filledPlaces, ...secretPlaces].flatMap((key) =>
        key.startsWith(`${place} `) ? [key.slice(place.length + 1)] : [],
      ),
    idInPath: (name) => parts.find((part) => part.type === 'path' && part.name === name)?.id,
    repeatedInBody: repeated.flatMap((place) => (place.startsWith('body ') ? [place.slice('body '.length)] : [])),
    inBody: toBodyParts(parts),
  };
}

/** The places that the credential fills or that repeat it; names of headers in lower case. */
function toFilledPlaces(parts: readonly CredentialPart[], repeated: readonly string[]): ReadonlySet<string> {
  const repeatedPlaces = repeated.map((place) => (place.startsWith('header ') ? place.toLowerCase() : place));
  return new Set([...parts.map(placeOf), ...repeatedPlaces]);
}

/** The parts that members of bodies carry, each member once. */
function toBodyParts(parts: readonly CredentialPart[]): readonly BodyPart[] {
  const members = parts.flatMap(({ id, type, name }) => (type === 'body' && name !== null ? [{ id, name }] : []));
  return [...new Map(members.map((member) => [member.name, member])).values()];
}
