<?xml version="1.0" encoding="UTF-8"?>
<!-- Formats a page as HTML, in the style of httpd's own manual. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="common.xsl"/>
<xsl:output method="html" encoding="UTF-8" doctype-system="about:legacy-compat" indent="no"/>
<xsl:strip-space elements="manualpage modulesynopsis summary section directivesynopsis contextlist ul ol dl table tr pagelist category"/>

<!-- The project's version and the page's name. -->
<xsl:param name="version"/>
<xsl:param name="page"/>

<xsl:variable name="httpd">https://httpd.apache.org/docs/2.4/mod/</xsl:variable>

<!-- The whole page -->

<xsl:template match="/">
  <html lang="en">
    <head>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <title><xsl:apply-templates select="*" mode="title"/> - mod_useradmin <xsl:value-of select="$version"/></title>
      <link rel="stylesheet" href="manual.css"/>
      <link rel="alternate" type="text/markdown" href="{$page}.md"/>
      <script src="search.js" defer="defer"></script>
    </head>
    <body>
      <header>
        <p><a href="index.html">mod_useradmin <xsl:value-of select="$version"/></a></p>
        <p class="to-menu"><a href="#menu">All pages</a></p>
      </header>
      <main>
        <xsl:apply-templates select="*"/>
      </main>
      <nav id="menu" class="menu" aria-label="All pages">
        <ul>
          <xsl:call-template name="menu-item"><xsl:with-param name="name" select="'index'"/></xsl:call-template>
        </ul>
        <xsl:for-each select="$index//category">
          <p><xsl:value-of select="title"/></p>
          <ul>
            <xsl:for-each select="page">
              <xsl:call-template name="menu-item"><xsl:with-param name="name" select="string(.)"/></xsl:call-template>
            </xsl:for-each>
          </ul>
        </xsl:for-each>
      </nav>
      <footer>
        <nav>
          <xsl:variable name="here" select="$index//page[. = $page]"/>
          <xsl:variable name="before" select="$here/preceding::page[1]"/>
          <xsl:variable name="after" select="$here/following::page[1]"/>
          <xsl:if test="$before"><a rel="prev" href="{$before}.html">Before: <xsl:apply-templates select="document(concat('../', $before, '.xml'))/*" mode="title"/></a></xsl:if>
          <a href="index.html">Contents</a>
          <xsl:if test="$after"><a rel="next" href="{$after}.html">After: <xsl:apply-templates select="document(concat('../', $after, '.xml'))/*" mode="title"/></a></xsl:if>
        </nav>
        <p>Licensed under the Apache License, Version 2.0.</p>
      </footer>
    </body>
  </html>
</xsl:template>

<!-- The menu of all pages -->

<xsl:template name="menu-item">
  <xsl:param name="name"/>
  <xsl:variable name="title" select="document(concat('../', $name, '.xml'))/*/*[self::title or self::name]"/>
  <li><xsl:choose>
    <xsl:when test="$name = $page"><strong><xsl:value-of select="$title"/></strong></xsl:when>
    <xsl:otherwise><a href="{$name}.html"><xsl:value-of select="$title"/></a></xsl:otherwise>
  </xsl:choose></li>
</xsl:template>

<xsl:template match="manualpage" mode="title"><xsl:value-of select="title"/></xsl:template>
<xsl:template match="modulesynopsis" mode="title">Apache Module <xsl:value-of select="name"/></xsl:template>

<xsl:template match="manualpage">
  <h1><xsl:apply-templates select="title/node()"/></h1>
  <xsl:apply-templates select="synopsis"/>
  <xsl:apply-templates select="summary/*"/>
  <xsl:if test="count(section) &gt; 1">
    <nav class="contents">
      <ul><xsl:apply-templates select="section" mode="contents"/></ul>
    </nav>
  </xsl:if>
  <xsl:apply-templates select="*[not(self::section or self::title or self::synopsis or self::description or self::summary or self::pagelist)]"/>
  <xsl:apply-templates select="pagelist | section"/>
</xsl:template>

<xsl:template match="section" mode="contents">
  <li><a href="#{@id}"><xsl:value-of select="title"/></a></li>
</xsl:template>

<xsl:template match="manualpage/synopsis">
  <pre class="synopsis"><xsl:for-each select="form"><xsl:apply-templates select="."/><xsl:text>&#10;</xsl:text></xsl:for-each></pre>
</xsl:template>

<!-- A module -->

<xsl:template match="modulesynopsis">
  <h1>Apache Module <xsl:value-of select="name"/></h1>
  <table class="synopsis">
    <tr><th scope="row">Description:</th><td><xsl:apply-templates select="description/node()"/></td></tr>
    <tr><th scope="row">Status:</th><td><xsl:value-of select="status"/></td></tr>
    <tr><th scope="row">Module Identifier:</th><td><code><xsl:value-of select="identifier"/></code></td></tr>
    <tr><th scope="row">Source File:</th><td><code><xsl:value-of select="sourcefile"/></code></td></tr>
    <tr><th scope="row">Compatibility:</th><td><xsl:apply-templates select="compatibility/node()"/></td></tr>
  </table>
  <h2 id="summary">Summary</h2>
  <xsl:apply-templates select="summary/*"/>
  <nav class="contents">
    <xsl:if test="section">
      <h2>Topics</h2>
      <ul><xsl:apply-templates select="section" mode="contents"/></ul>
    </xsl:if>
    <h2>Directives</h2>
    <ul>
      <xsl:for-each select="directivesynopsis">
        <xsl:sort select="name"/>
        <li><xsl:call-template name="directive"><xsl:with-param name="name" select="name"/></xsl:call-template>
        <xsl:if test="@location"> (<xsl:value-of select="@location"/>)</xsl:if></li>
      </xsl:for-each>
    </ul>
    <xsl:if test="seealso">
      <h2>See also</h2>
      <ul><xsl:for-each select="seealso"><li><xsl:apply-templates/></li></xsl:for-each></ul>
    </xsl:if>
  </nav>
  <xsl:apply-templates select="section"/>
  <xsl:apply-templates select="directivesynopsis[not(@location)]"><xsl:sort select="name"/></xsl:apply-templates>
</xsl:template>

<xsl:template match="directivesynopsis">
  <section class="directive">
    <xsl:variable name="name" select="name"/>
    <h2 id="{translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')}"><xsl:value-of select="name"/> Directive</h2>
    <table class="synopsis">
      <tr><th scope="row">Description:</th><td><xsl:apply-templates select="description/node()"/></td></tr>
      <tr><th scope="row">Syntax:</th><td><xsl:for-each select="syntax"><code><xsl:apply-templates/></code><xsl:if test="position() != last()"><br/></xsl:if></xsl:for-each></td></tr>
      <xsl:if test="default"><tr><th scope="row">Default:</th><td><code><xsl:apply-templates select="default/node()"/></code></td></tr></xsl:if>
      <tr><th scope="row">Context:</th><td><xsl:apply-templates select="contextlist"/></td></tr>
      <tr><th scope="row">Status:</th><td><xsl:value-of select="../status"/></td></tr>
      <tr><th scope="row">Module:</th><td><xsl:for-each select="$modules/*[directivesynopsis/name = $name]"><xsl:if test="position() &gt; 1">, </xsl:if><xsl:value-of select="name"/></xsl:for-each></td></tr>
      <tr><th scope="row">Compatibility:</th><td><xsl:apply-templates select="compatibility/node()"/></td></tr>
    </table>
    <xsl:apply-templates select="usage/*"/>
    <xsl:if test="seealso">
      <h3>See also</h3>
      <ul><xsl:for-each select="seealso"><li><xsl:apply-templates/></li></xsl:for-each></ul>
    </xsl:if>
  </section>
</xsl:template>

<!-- The index -->

<xsl:template match="category">
  <h2><xsl:value-of select="title"/></h2>
  <dl>
    <xsl:for-each select="page">
      <xsl:variable name="it" select="document(concat('../', ., '.xml'))/*"/>
      <dt><a href="{.}.html"><xsl:apply-templates select="$it" mode="title"/></a></dt>
      <dd><xsl:apply-templates select="$it/description/node()"/></dd>
    </xsl:for-each>
  </dl>
</xsl:template>
<xsl:template match="pagelist"><xsl:apply-templates/></xsl:template>

<xsl:template match="quickreference">
  <div class="wide" tabindex="0"><table class="rows">
    <tr><th scope="col">Directive</th><th scope="col">Default</th><th scope="col">Context</th><th scope="col">Description</th></tr>
    <xsl:for-each select="$modules//directivesynopsis[not(@location)]">
      <xsl:sort select="name"/>
      <tr>
        <td data-head="Directive"><xsl:call-template name="directive"><xsl:with-param name="name" select="name"/></xsl:call-template></td>
        <td data-head="Default"><xsl:value-of select="substring-after(default, ' ')"/></td>
        <td data-head="Context"><xsl:apply-templates select="contextlist"/></td>
        <td data-head="Description"><xsl:apply-templates select="description/node()"/></td>
      </tr>
    </xsl:for-each>
  </table></div>
</xsl:template>

<!-- Blocks -->

<xsl:template match="section">
  <section id="{@id}">
    <xsl:element name="h{count(ancestor::section) + 2 + count(ancestor::usage)}"><xsl:apply-templates select="title/node()"/></xsl:element>
    <xsl:apply-templates select="*[not(self::title)]"/>
  </section>
</xsl:template>

<xsl:template match="p | ul | ol | li | dl | dt | dd | em | strong | var | br">
  <xsl:element name="{name()}"><xsl:if test="@id"><xsl:attribute name="id"><xsl:value-of select="@id"/></xsl:attribute></xsl:if><xsl:apply-templates/></xsl:element>
</xsl:template>

<!-- On a narrow screen, the cells of a row are stacked, each after its column's heading. Tables of figures or short words
     scroll instead. -->
<xsl:template match="table">
  <div class="wide" tabindex="0"><table class="{@class}{substring('rows', 1 + 4 * boolean(@class))}"><xsl:apply-templates/></table></div>
</xsl:template>
<!-- Log tags are link targets. -->
<xsl:template match="tr">
  <tr><xsl:if test="starts-with(td[1], 'UA0') and string-length(td[1]) = 6"><xsl:attribute name="id"><xsl:value-of select="td[1]"/></xsl:attribute></xsl:if><xsl:apply-templates/></tr>
</xsl:template>
<xsl:template match="th"><th scope="col"><xsl:apply-templates/></th></xsl:template>
<xsl:template match="td">
  <xsl:variable name="column" select="count(preceding-sibling::td) + 1"/>
  <td>
    <xsl:choose>
      <xsl:when test="not(ancestor::table/@class)"><xsl:attribute name="data-head"><xsl:value-of select="ancestor::table/tr[th]/th[$column]"/></xsl:attribute></xsl:when>
      <xsl:when test="ancestor::table/@class = 'figures' and $column &gt; 2"><xsl:attribute name="class">number</xsl:attribute></xsl:when>
    </xsl:choose>
    <xsl:apply-templates/>
  </td>
</xsl:template>

<xsl:template match="note"><div class="note"><xsl:apply-templates/></div></xsl:template>

<!-- Drop the first and the last line break. -->
<xsl:template match="highlight">
  <pre class="{@language}" tabindex="0"><code><xsl:value-of select="substring(., 2, string-length(.) - 2)"/></code></pre>
</xsl:template>


<!-- In a line -->

<xsl:template match="code"><code><xsl:apply-templates/></code></xsl:template>
<xsl:template match="a"><a href="{@href}"><xsl:apply-templates/></a></xsl:template>

<xsl:template name="directive">
  <xsl:param name="name"/>
  <xsl:variable name="module"><xsl:call-template name="module-of"><xsl:with-param name="directive" select="$name"/></xsl:call-template></xsl:variable>
  <a class="directive" href="{$module}.html#{translate($name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')}"><xsl:value-of select="$name"/></a>
</xsl:template>

<!-- A directive of httpd is followed by its module. -->
<xsl:template match="directive[@module]">
  <a class="directive" href="{$httpd}{@module}.html#{translate(., 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')}"><xsl:value-of select="."/></a>
</xsl:template>
<xsl:template match="directive">
  <xsl:call-template name="directive"><xsl:with-param name="name" select="string(.)"/></xsl:call-template>
</xsl:template>

<xsl:template match="module">
  <code class="module"><xsl:choose>
    <xsl:when test="$modules/*[name = current()]"><a href="{.}.html"><xsl:value-of select="."/></a></xsl:when>
    <xsl:otherwise><a href="{$httpd}{.}.html"><xsl:value-of select="."/></a></xsl:otherwise>
  </xsl:choose></code>
</xsl:template>

<xsl:template match="program"><code class="program"><a href="{.}.html"><xsl:value-of select="."/></a></code></xsl:template>

<!-- A command or option of a program, as in its help. -->
<xsl:template match="form"><code><xsl:value-of select="."/></code></xsl:template>

</xsl:stylesheet>
