// The home page, and tables before the game: the layout, what axe-core finds, and the pictures of each scene (looks.js).

import { lookAt } from './looks.js';
import { GROUPS } from './scenes.js';

await lookAt(GROUPS.lobby);
