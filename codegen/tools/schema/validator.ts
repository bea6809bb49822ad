/** The validator of arguments and schemas, as the gateway has it: with formats, and patterns in linear time. */

import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compilePattern } from '../../../shared/patterns/index.ts';

export function createValidator(options: Options = {}): Ajv2020 {
  const regExp = Object.assign(compilePattern, { code: 'compilePattern' });
  const ajv = new Ajv2020({ ...options, strict: false, code: { regExp } });
  addFormats.default(ajv);
  return ajv;
}
