import { mount } from "svelte";

import App from "./App.svelte";
import "./states.css";
import "./app.css";
import { keepFocus } from "./state/keepFocus";
import { paint, theme } from "./state/theme.svelte";
import { learn, t } from "./state/words.svelte";

paint(theme.value);
keepFocus();
void learn().then(() => {
  document.documentElement.lang = t().code;
  const target = document.getElementById("app");
  if (target) mount(App, { target });
});
