/** The input of every reader of a body, and the plan that it returns. */

import type { Schema } from '../../model/types.ts';
import type { BodyForm } from '../call-model.ts';
import type { Resolve } from '../schema/readers.ts';
import type { BodyChoice, BodyMember } from './members.ts';

/** The parts of the descriptor that reading a body needs. */
export interface BodyContext {
  readonly resolve: Resolve;
  readonly openapi: '3.0' | '3.1';
}

export type BodyPlan =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'members';
      readonly mediaType: string;
      readonly required: boolean;
      /** By default it is JSON. */
      readonly form?: BodyForm | undefined;
      readonly members: readonly BodyMember[];
      readonly choices: readonly BodyChoice[];
      readonly pointer: string;
    }
  | {
      readonly kind: 'whole';
      readonly mediaType: string;
      readonly required: boolean;
      /** By default it is JSON. */
      readonly form?: BodyForm | undefined;
      readonly schema: Schema;
      /** The descriptor's description, and the possible forms of the body if there are several. */
      readonly description: string;
      readonly pointer: string;
    }
  | { readonly kind: 'refused'; readonly reason: string };
