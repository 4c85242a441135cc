import { mount } from "svelte";

import App from "./App.svelte";
import "./states.css";
import "./app.css";
import { keepFocus } from "./state/keepFocus";
import { setTheme, theme } from "./state/theme.svelte";
import { loadCatalogue, t } from "./state/words.svelte";

setTheme(theme.value);
keepFocus();
void loadCatalogue().then(() => {
  document.documentElement.lang = t().code;
  const target = document.getElementById("app");
  if (target) mount(App, { target });
});
