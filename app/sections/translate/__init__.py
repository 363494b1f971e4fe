"""Parts of the page "Translate, one word at a time", some of which "Alignment" has too."""
