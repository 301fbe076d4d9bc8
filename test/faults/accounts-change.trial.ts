import { accountTrials } from './account-trials.ts';

accountTrials('change');
