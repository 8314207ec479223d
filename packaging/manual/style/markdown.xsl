<?xml version="1.0" encoding="UTF-8"?>
<!-- Formats a page as Markdown with GitHub's tables. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings"
                exclude-result-prefixes="str">
<xsl:import href="common.xsl"/>
<xsl:output method="text" encoding="UTF-8"/>

<!-- The project's version and the page's name. -->
<xsl:param name="version"/>
<xsl:param name="page"/>

<xsl:variable name="httpd">https://httpd.apache.org/docs/2.4/mod/</xsl:variable>
<xsl:variable name="capitals">ABCDEFGHIJKLMNOPQRSTUVWXYZ</xsl:variable>
<xsl:variable name="small">abcdefghijklmnopqrstuvwxyz</xsl:variable>

<!-- The whole page -->

<xsl:template match="/">
  <xsl:apply-templates select="*"/>
  <xsl:value-of select="concat('[All pages](index.md) of the manual of mod_useradmin ', $version, '.&#10;')"/>
</xsl:template>

<xsl:template match="manualpage">
  <xsl:value-of select="concat('# ', title, '&#10;&#10;')"/>
  <xsl:apply-templates select="synopsis"/>
  <xsl:apply-templates select="summary/*"/>
  <xsl:apply-templates select="*[not(self::section or self::title or self::synopsis or self::description or self::summary or self::pagelist)]"/>
  <xsl:apply-templates select="pagelist | section"/>
</xsl:template>

<xsl:template match="manualpage/synopsis">
  <xsl:text>```&#10;</xsl:text>
  <xsl:for-each select="form"><xsl:value-of select="concat(., '&#10;')"/></xsl:for-each>
  <xsl:text>```&#10;&#10;</xsl:text>
</xsl:template>

<xsl:template match="modulesynopsis">
  <xsl:value-of select="concat('# Apache Module ', name, '&#10;&#10;- Description: ')"/>
  <xsl:apply-templates select="description" mode="text"/>
  <xsl:value-of select="concat('&#10;- Status: ', status, '&#10;- Module Identifier: `', identifier, '`&#10;- Source File: `', sourcefile, '`&#10;- Compatibility: ')"/>
  <xsl:apply-templates select="compatibility" mode="text"/>
  <xsl:text>&#10;&#10;## Summary&#10;&#10;</xsl:text>
  <xsl:apply-templates select="summary/*"/>
  <xsl:for-each select="seealso">
    <xsl:choose><xsl:when test="position() = 1">See also </xsl:when><xsl:otherwise>, </xsl:otherwise></xsl:choose>
    <xsl:apply-templates select="." mode="text"/>
    <xsl:if test="position() = last()">.&#10;&#10;</xsl:if>
  </xsl:for-each>
  <xsl:apply-templates select="section"/>
  <xsl:apply-templates select="directivesynopsis[not(@location)]"><xsl:sort select="name"/></xsl:apply-templates>
  <xsl:for-each select="directivesynopsis[@location]">
    <xsl:sort select="name"/>
    <xsl:choose><xsl:when test="position() = 1">## Directives of both modules&#10;&#10;</xsl:when><xsl:otherwise>, </xsl:otherwise></xsl:choose>
    <xsl:call-template name="directive"><xsl:with-param name="name" select="name"/></xsl:call-template>
    <xsl:if test="position() = last()">.&#10;&#10;</xsl:if>
  </xsl:for-each>
</xsl:template>

<xsl:template match="directivesynopsis">
  <xsl:variable name="name" select="name"/>
  <xsl:value-of select="concat('## ', name, ' Directive &lt;a id=&quot;', translate(name, $capitals, $small), '&quot;&gt;&lt;/a&gt;&#10;&#10;- Description: ')"/>
  <xsl:apply-templates select="description" mode="text"/>
  <xsl:for-each select="syntax"><xsl:value-of select="concat('&#10;- Syntax: `', normalize-space(.), '`')"/></xsl:for-each>
  <xsl:if test="default"><xsl:value-of select="concat('&#10;- Default: `', normalize-space(default), '`')"/></xsl:if>
  <xsl:text>&#10;- Context: </xsl:text>
  <xsl:apply-templates select="contextlist"/>
  <xsl:value-of select="concat('&#10;- Status: ', ../status, '&#10;- Module: ')"/>
  <xsl:for-each select="$modules/*[directivesynopsis/name = $name]"><xsl:if test="position() &gt; 1">, </xsl:if><xsl:value-of select="name"/></xsl:for-each>
  <xsl:text>&#10;- Compatibility: </xsl:text>
  <xsl:apply-templates select="compatibility" mode="text"/>
  <xsl:text>&#10;&#10;</xsl:text>
  <xsl:apply-templates select="usage/*"/>
</xsl:template>

<!-- The index -->

<xsl:template match="pagelist"><xsl:apply-templates select="category"/></xsl:template>
<xsl:template match="category">
  <xsl:value-of select="concat('## ', title, '&#10;&#10;')"/>
  <xsl:for-each select="page"><xsl:call-template name="page"/></xsl:for-each>
  <xsl:text>&#10;</xsl:text>
</xsl:template>

<!-- A page in a list: its title, address and description. -->
<xsl:template name="page">
  <xsl:param name="name" select="."/>
  <xsl:variable name="it" select="document(concat('../', $name, '.xml'))/*"/>
  <xsl:value-of select="concat('- [', $it/*[self::title or self::name], '](', $name, '.md): ')"/>
  <xsl:apply-templates select="$it/description" mode="text"/>
  <xsl:text>&#10;</xsl:text>
</xsl:template>

<xsl:template match="quickreference">
  <xsl:text>| Directive | Default | Context | Description |&#10;|---|---|---|---|&#10;</xsl:text>
  <xsl:for-each select="$modules//directivesynopsis[not(@location)]">
    <xsl:sort select="name"/>
    <xsl:text>| </xsl:text>
    <xsl:call-template name="directive"><xsl:with-param name="name" select="name"/></xsl:call-template>
    <xsl:value-of select="concat(' | ', substring-after(default, ' '), ' | ')"/>
    <xsl:apply-templates select="contextlist"/>
    <xsl:text> | </xsl:text>
    <xsl:apply-templates select="description" mode="text"/>
    <xsl:text> |&#10;</xsl:text>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
</xsl:template>

<!-- Blocks -->

<xsl:template match="section">
  <xsl:value-of select="concat(substring('######', 1, count(ancestor::section) + 2 + count(ancestor::usage)), ' ')"/>
  <xsl:apply-templates select="title" mode="text"/>
  <xsl:value-of select="concat(' &lt;a id=&quot;', @id, '&quot;&gt;&lt;/a&gt;&#10;&#10;')"/>
  <xsl:apply-templates select="*[not(self::title)]"/>
</xsl:template>

<xsl:template match="p">
  <xsl:call-template name="anchor"/>
  <xsl:apply-templates select="." mode="text"/>
  <xsl:text>&#10;&#10;</xsl:text>
</xsl:template>
<xsl:template match="note"><xsl:for-each select="p">&gt; <xsl:apply-templates select="." mode="text"/><xsl:text>&#10;&#10;</xsl:text></xsl:for-each></xsl:template>

<xsl:template name="anchor">
  <xsl:if test="@id"><xsl:value-of select="concat('&lt;a id=&quot;', @id, '&quot;&gt;&lt;/a&gt;')"/></xsl:if>
</xsl:template>

<xsl:template match="ul | ol">
  <xsl:for-each select="li">
    <xsl:choose>
      <xsl:when test="parent::ol"><xsl:value-of select="concat(position(), '. ')"/></xsl:when>
      <xsl:otherwise>- </xsl:otherwise>
    </xsl:choose>
    <xsl:apply-templates select="." mode="text"/>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
</xsl:template>

<!-- Markdown has no definition lists, so each term is an item. -->
<xsl:template match="dl"><xsl:apply-templates select="dt | dd"/><xsl:text>&#10;</xsl:text></xsl:template>
<xsl:template match="dt">
  <xsl:text>- </xsl:text>
  <xsl:call-template name="anchor"/>
  <xsl:apply-templates select="." mode="text"/>
  <xsl:text>: </xsl:text>
</xsl:template>
<xsl:template match="dd">
  <xsl:choose>
    <xsl:when test="p">
      <xsl:for-each select="p"><xsl:if test="position() &gt; 1"><xsl:text>&#10;&#10;  </xsl:text></xsl:if><xsl:apply-templates select="." mode="text"/></xsl:for-each>
    </xsl:when>
    <xsl:otherwise><xsl:apply-templates select="." mode="text"/></xsl:otherwise>
  </xsl:choose>
  <xsl:text>&#10;</xsl:text>
</xsl:template>

<xsl:template match="table">
  <xsl:apply-templates select="tr[th]"/>
  <xsl:for-each select="tr[th]/th">|---</xsl:for-each>
  <xsl:text>|&#10;</xsl:text>
  <xsl:apply-templates select="tr[td]"/>
  <xsl:text>&#10;</xsl:text>
</xsl:template>
<xsl:template match="tr">
  <xsl:for-each select="th | td">
    <xsl:text>| </xsl:text>
    <!-- Log tags are link targets. -->
    <xsl:if test="position() = 1 and starts-with(., 'UA0') and string-length(.) = 6"><xsl:value-of select="concat('&lt;a id=&quot;', ., '&quot;&gt;&lt;/a&gt;')"/></xsl:if>
    <xsl:apply-templates select="." mode="text"/>
    <xsl:text> </xsl:text>
  </xsl:for-each>
  <xsl:text>|&#10;</xsl:text>
</xsl:template>

<xsl:template match="highlight">
  <xsl:value-of select="concat('```', @language, '&#10;', substring(., 2, string-length(.) - 2), '&#10;```&#10;&#10;')"/>
</xsl:template>

<!-- In a line -->

<xsl:template match="*" mode="text">
  <xsl:variable name="text"><xsl:apply-templates mode="line"/></xsl:variable>
  <xsl:value-of select="normalize-space($text)"/>
</xsl:template>

<!-- A vertical bar ends a cell, even in code. -->
<xsl:template name="cell">
  <xsl:param name="text"/>
  <xsl:choose>
    <xsl:when test="ancestor::tr"><xsl:value-of select="str:replace($text, '|', '\|')"/></xsl:when>
    <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="text()" mode="line">
  <xsl:variable name="one" select="str:replace(str:replace(string(.), '\', '\\'), '*', '\*')"/>
  <xsl:variable name="two" select="str:replace(str:replace($one, '[', '\['), ']', '\]')"/>
  <xsl:call-template name="cell"><xsl:with-param name="text" select="str:replace(str:replace($two, '&lt;', '\&lt;'), '`', '\`')"/></xsl:call-template>
</xsl:template>

<xsl:template name="code">
  <xsl:param name="text" select="."/>
  <xsl:text>`</xsl:text>
  <xsl:call-template name="cell"><xsl:with-param name="text" select="normalize-space($text)"/></xsl:call-template>
  <xsl:text>`</xsl:text>
</xsl:template>
<xsl:template match="code | form" mode="line"><xsl:call-template name="code"/></xsl:template>
<xsl:template match="em | var" mode="line">*<xsl:apply-templates mode="line"/>*</xsl:template>
<xsl:template match="strong" mode="line">**<xsl:apply-templates mode="line"/>**</xsl:template>
<xsl:template match="br" mode="line">&lt;br&gt;</xsl:template>

<xsl:template match="a" mode="line">
  <xsl:text>[</xsl:text><xsl:apply-templates mode="line"/><xsl:text>](</xsl:text>
  <xsl:choose>
    <xsl:when test="contains(@href, ':')"><xsl:value-of select="@href"/></xsl:when>
    <xsl:otherwise><xsl:value-of select="str:replace(string(@href), '.html', '.md')"/></xsl:otherwise>
  </xsl:choose>
  <xsl:text>)</xsl:text>
</xsl:template>

<!-- Code cannot contain links, so code with a directive is a link as a whole. -->
<xsl:template match="code[directive]" mode="line">
  <xsl:text>[</xsl:text><xsl:call-template name="code"/><xsl:text>](</xsl:text>
  <xsl:apply-templates select="directive[1]" mode="address"/>
  <xsl:text>)</xsl:text>
</xsl:template>
<xsl:template match="directive" mode="line">
  <xsl:value-of select="concat('[`', ., '`](')"/>
  <xsl:apply-templates select="." mode="address"/>
  <xsl:text>)</xsl:text>
</xsl:template>
<xsl:template name="directive">
  <xsl:param name="name"/>
  <xsl:value-of select="concat('[`', $name, '`](')"/>
  <xsl:call-template name="address"><xsl:with-param name="name" select="$name"/></xsl:call-template>
  <xsl:text>)</xsl:text>
</xsl:template>
<xsl:template name="address">
  <xsl:param name="name"/>
  <xsl:call-template name="module-of"><xsl:with-param name="directive" select="$name"/></xsl:call-template>
  <xsl:value-of select="concat('.md#', translate($name, $capitals, $small))"/>
</xsl:template>
<xsl:template match="directive" mode="address">
  <xsl:call-template name="address"><xsl:with-param name="name" select="string(.)"/></xsl:call-template>
</xsl:template>
<!-- A directive of httpd. -->
<xsl:template match="directive[@module]" mode="address">
  <xsl:value-of select="concat($httpd, @module, '.html#', translate(., $capitals, $small))"/>
</xsl:template>

<xsl:template match="module" mode="line">
  <xsl:choose>
    <xsl:when test="$modules/*[name = current()]"><xsl:value-of select="concat('[`', ., '`](', ., '.md)')"/></xsl:when>
    <xsl:otherwise><xsl:value-of select="concat('[`', ., '`](', $httpd, ., '.html)')"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template match="program" mode="line"><xsl:value-of select="concat('[`', ., '`](', ., '.md)')"/></xsl:template>

<xsl:template match="*" mode="line" priority="-1">
  <xsl:message terminate="yes">A page in Markdown has no element &lt;<xsl:value-of select="name()"/>&gt; in a line.</xsl:message>
</xsl:template>

</xsl:stylesheet>
