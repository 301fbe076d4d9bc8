import type { BulkOptions } from '../../flags/bulk-flags.ts';
import type { FieldOptions } from '../../flags/field-flags.ts';
import { hashChangePresentation } from '../../output/url-columns.ts';
import type { SelectionOptions } from '../../select/selection-flags.ts';

export interface EditOptions extends FieldOptions, SelectionOptions, BulkOptions {}

export const editQuestion = { verb: 'Edit', isOptional: true };

export const editPresentation = { ...hashChangePresentation('urls', 'Changed'), doing: 'editing' };
