import { mount } from "svelte";

import App from "./App.svelte";
import "./states.css";
import "./app.css";
import { paint, theme } from "./state/theme.svelte";
import { t } from "./state/words.svelte";

document.documentElement.lang = t().code;
paint(theme.value);
const target = document.getElementById("app");
if (target) mount(App, { target });
